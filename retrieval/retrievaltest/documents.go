package retrievaltest

import "suffice.dev/suffice/kb"

// Documents are the documents of the suite, in the order in which they are put:
// several versions of one id follow each other.
func Documents() []kb.Document {
	authority := func(v float64) *float64 { return &v }
	return []kb.Document{
		{ID: "blue-whale", Title: "蓝鲸计划说明", Text: "# 报名\n\n蓝鲸计划的报名截止日期是每年四月十五日，逾期不予受理。\n\n报名者须满二十岁，并提交导师推荐信一封。", Source: "handbook", Authority: authority(8), PublishedAt: day("2025-01-10")},
		{ID: "pump", Title: "QX-20 pump manual", Text: "# Maintenance\n\nThe QX-20 pump is maintained by the Harrow service team twice a year.\n\n# 参数\n\nQX-20 型水泵的额定压力为 1.6 MPa，最大流量每小时 30 立方米。", Source: "manual", Domain: "engineering"},
		{ID: "lease", Title: "Tenancy terms", Text: "A tenant may end the lease with a notice period of two months.\n\nThe landlord returns the deposit within fourteen days after the keys are handed over.", Domain: "law", Authority: authority(6.5)},
		{ID: "canteen", Title: "食堂", Text: "食堂早餐七点半开始供应，九点结束。\n\n午餐为十一点半到一点。"},
		{ID: "canteen-lab", Collection: "lab", Title: "实验楼食堂", Text: "实验楼食堂早餐八点开始。"},
		{ID: "board-bonus", Title: "董事会奖金", Text: "董事会奖金池的总额为三百万元，由薪酬委员会分配。", Readers: []string{"group:board", "group:audit"}},
		{ID: "staff-bonus", Title: "员工奖金", Text: "员工年终奖金的总额由各部门绩效决定，不公布。"},
		{ID: "travel", Title: "差旅规定", Text: "出差住宿费每晚上限为三百元。", ValidFrom: day("2023-01-01"), ValidTo: day("2023-12-31")},
		{ID: "travel", Title: "差旅规定", Text: "出差住宿费每晚上限为三百五十元，一线城市四百元。", ValidFrom: day("2024-01-01")},
		{ID: "travel", Title: "差旅规定", Text: "出差住宿费每晚上限为四百五十元，凭票报销。", ValidFrom: day("2025-01-01")},
		{ID: "summer", Title: "夏季作息", Text: "夏季作息期间上午八点上班，下午五点下班。", ValidFrom: day("2025-06-01"), ValidTo: day("2025-08-31")},
		{ID: "vpn-old", Title: "VPN client", Text: "Remote staff must use the Tern VPN client, version 4.", PublishedAt: day("2022-05-01")},
		{ID: "vpn-new", Title: "VPN client 2025", Text: "Remote staff must use the Plover VPN client on every laptop.", ValidFrom: day("2025-02-01"), Supersedes: []string{"vpn-old"}},
		{ID: "fire-a", Title: "消防管理", Text: "各楼层的灭火器每月检查一次，由行政部的值班人员负责登记，检查结果在月底前报送安全委员会备案；发现压力不足、铅封脱落或喷管老化的，应当在三个工作日内更换，并在登记簿上注明更换日期和经手人的姓名。"},
		{ID: "fire-b", Title: "安全手册", Text: "各楼层的灭火器每月检查一次，由行政部的值班人员负责登记，检查结果在月底前报送安全委员会备案；发现压力不足、铅封脱落或喷管老化的，应当在三个工作日内更换，并在登记簿上注明更换日期和经手人的姓名。"},
		{ID: "survey", Title: "Surveys", Text: "🙂🙂 Staff surveys run every spring; answers with emoji 🙂 are counted as positive.\n\n员工满意度调查每年春季进行👍，结果六月公布。"},
		{ID: "parking", Title: "停车", Text: "访客停车每小时五元，前三十分钟免费。\n\n员工车辆凭月卡进出，月卡每张一百二十元。"},
		{ID: "printer", Title: "Printers", Text: "Colour printing is limited to 40 pages a month per employee.\n\nToner is ordered through the service desk."},
	}
}

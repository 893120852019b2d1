package text

import "strings"

// irregularForms lists English verbs whose past forms no ending gives, each with these forms.
// Left out are forms that are words of their own more often (left, found, saw, felt, bound,
// wound, ground, thought, bore, born, lay, shot).
const irregularForms = `arise:arose:arisen awake:awoke:awoken beat:beaten become:became begin:began:begun bend:bent bite:bitten bleed:bled blow:blew:blown break:broke:broken
 breed:bred bring:brought build:built burn:burnt buy:bought catch:caught choose:chose:chosen cling:clung come:came creep:crept deal:dealt dig:dug do:did:done draw:drew:drawn dream:dreamt
 drink:drank:drunk drive:drove:driven dwell:dwelt eat:ate:eaten fall:fell:fallen feed:fed fight:fought flee:fled fling:flung fly:flew:flown forbid:forbade:forbidden foresee:foresaw:foreseen
 forget:forgot:forgotten forgive:forgave:forgiven freeze:froze:frozen give:gave:given go:went:gone grow:grew:grown hang:hung hear:heard hide:hid:hidden hold:held keep:kept kneel:knelt know:knew:known
 lead:led lean:leant leap:leapt learn:learnt lend:lent light:lit lose:lost make:made mean:meant meet:met mow:mown overcome:overcame overtake:overtook:overtaken pay:paid prove:proven
 rebuild:rebuilt repay:repaid resell:resold rewrite:rewrote:rewritten ride:rode:ridden ring:rang rise:rose:risen run:ran say:said seek:sought sell:sold send:sent sew:sewn shake:shook:shaken shine:shone
 show:shown shrink:shrank:shrunk sing:sang:sung sink:sank:sunk sit:sat sleep:slept slide:slid sling:slung sow:sown speak:spoken spell:spelt spend:spent spill:spilt spin:spun spoil:spoilt
 stand:stood steal:stole:stolen stick:stuck sting:stung strike:struck:stricken string:strung strive:strove:striven swear:swore:sworn sweep:swept swim:swam:swum swing:swung take:took:taken teach:taught
 tear:tore:torn tell:told throw:threw:thrown undergo:underwent:undergone understand:understood undertake:undertook:undertaken undo:undid:undone uphold:upheld wake:woke:woken wear:wore:worn weave:wove:woven
 weep:wept win:won withdraw:withdrew:withdrawn withhold:withheld withstand:withstood write:wrote:written`

// irregular gives the base of an irregular form.
var irregular = func() map[string]string {
	m := map[string]string{}
	for _, entry := range strings.Fields(irregularForms) {
		forms := strings.Split(entry, ":")
		for _, f := range forms[1:] {
			m[f] = forms[0]
		}
	}
	return m
}()

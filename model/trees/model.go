package trees

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// node is a split or a leaf of a tree, in float32 as XGBoost computes it.
type node struct {
	left, right int // -1 in a leaf
	parent      int // -1 in the root
	feature     int
	missingLeft bool    // where a missing value goes
	value       float32 // threshold of a split (left when below), weight of a leaf
	mean        float64 // of the leaves below, weighted by the training rows that reached them
	share       float64 // of the training rows of the parent that reached it, 0..1
}

// next returns the child a vector goes to.
func (n node) next(features []float32) int {
	v := features[n.feature]
	if math.IsNaN(float64(v)) {
		if n.missingLeft {
			return n.left
		}
		return n.right
	}
	if v < n.value {
		return n.left
	}
	return n.right
}

// tree holds its reachable nodes in preorder; the root is the first.
type tree []node

// objectives whose margin is a log-odds, and whether their base score is a
// probability (else it is a margin already).
var objectives = map[string]bool{"binary:logistic": true, "reg:logistic": true, "binary:logitraw": false}

// newModel reads the parts of a decoded file.
func newModel(root any) (*Model, error) {
	top := object{"", root}
	learner := top.at("learner")
	m := &Model{attributes: map[string]string{}}
	var err error
	if m.version, err = version(top); err != nil {
		return nil, err
	}
	if m.objective, err = learner.at("objective").at("name").text(); err != nil {
		return nil, err
	}
	probability, known := objectives[m.objective]
	if !known {
		return nil, fmt.Errorf("objective %q: only binary:logistic, reg:logistic and binary:logitraw are supported", m.objective)
	}
	if m.features, err = learner.at("feature_names").texts(); err != nil {
		return nil, err
	}
	if err := m.attributesFrom(learner.at("attributes")); err != nil {
		return nil, err
	}
	if types := learner.at("feature_types"); types.present() {
		names, err := types.texts()
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			if name == "c" {
				return nil, fmt.Errorf("feature %d is categorical: only numeric features are supported", i)
			}
		}
	}
	param := learner.at("learner_model_param")
	count, err := param.at("num_feature").integer()
	if err != nil {
		return nil, err
	}
	if count < 1 || count > 1<<20 {
		return nil, fmt.Errorf("num_feature is %d", count)
	}
	if len(m.features) != count {
		return nil, fmt.Errorf("%d feature names for %d features: train with feature names", len(m.features), count)
	}
	if err := singleOutput(param); err != nil {
		return nil, err
	}
	if m.base, err = baseMargin(param.at("base_score"), probability); err != nil {
		return nil, err
	}
	if err := m.boosterFrom(learner.at("gradient_booster")); err != nil {
		return nil, err
	}
	m.expected = m.base
	for _, t := range m.trees {
		m.expected += t[0].mean
		m.depth = max(m.depth, t.depth())
	}
	return m, nil
}

func version(top object) (string, error) {
	numbers, err := top.at("version").numbers()
	if err != nil {
		return "", err
	}
	if len(numbers) != 3 {
		return "", fmt.Errorf("version: want 3 numbers, got %v", numbers)
	}
	return fmt.Sprintf("%v.%v.%v", numbers[0], numbers[1], numbers[2]), nil
}

func (m *Model) attributesFrom(attributes object) error {
	if !attributes.present() {
		return nil
	}
	fields, err := attributes.fields()
	if err != nil {
		return err
	}
	for name := range fields {
		if m.attributes[name], err = attributes.at(name).text(); err != nil {
			return err
		}
	}
	return nil
}

func singleOutput(param object) error {
	for name, limit := range map[string]int{"num_class": 1, "num_target": 1} {
		if !param.at(name).present() {
			continue
		}
		n, err := param.at(name).integer()
		if err != nil {
			return err
		}
		if n > limit {
			return fmt.Errorf("%s is %d: only models with one output are supported", name, n)
		}
	}
	return nil
}

// baseMargin reads base_score: a number in text, since 3.1 a list of one. leaves
// would add it unconverted, so it stays outside of what leaves gets.
func baseMargin(value object, probability bool) (float64, error) {
	text, err := value.text()
	if err != nil {
		return 0, err
	}
	base, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), 32)
	if err != nil {
		return 0, fmt.Errorf("base_score: want one number, got %q", text)
	}
	if probability {
		if base <= 0 || base >= 1 {
			return 0, fmt.Errorf("base_score: want a probability, got %q", text)
		}
		return -math.Log(1/base - 1), nil
	}
	if math.IsNaN(base) || math.IsInf(base, 0) {
		return 0, fmt.Errorf("base_score: want a finite number, got %q", text)
	}
	return base, nil
}

// boosterFrom reads the trees. A dart model weighs each of them; which model is one
// is told by its weights and not by its name, since 3.3 and later call it gbtree.
// The weights lie beside gbtree (to 3.2), beside model (3.3) or in model (3.4).
func (m *Model) boosterFrom(booster object) error {
	name, err := booster.at("name").text()
	if err != nil {
		return err
	}
	if name != "gbtree" && name != "dart" {
		return fmt.Errorf("booster %q: only gbtree and dart are supported", name)
	}
	model := booster.at("model")
	if inner := booster.at("gbtree"); inner.present() {
		model = inner.at("model")
	}
	param := model.at("gbtree_model_param")
	count, err := param.at("num_trees").integer()
	if err != nil {
		return err
	}
	parallel, err := param.at("num_parallel_tree").integer()
	if err != nil {
		return err
	}
	if parallel < 1 || count < 1 || count%parallel != 0 {
		return fmt.Errorf("%d trees in rounds of %d", count, parallel)
	}
	m.rounds = count / parallel
	if cats := model.at("cats"); cats.present() {
		if enc := cats.at("enc"); enc.present() && enc.length() > 0 {
			return errors.New("the file holds categories: only numeric features are supported")
		}
	}
	list := model.at("trees")
	items, err := list.items()
	if err != nil {
		return err
	}
	if len(items) != count {
		return fmt.Errorf("%d trees, but num_trees is %d", len(items), count)
	}
	info, err := model.at("tree_info").numbers()
	if err != nil {
		return err
	}
	if len(info) != count {
		return fmt.Errorf("tree_info: %d entries for %d trees", len(info), count)
	}
	for _, group := range info {
		if group != 0 {
			return errors.New("several output groups: only models with one output are supported")
		}
	}
	drop, err := weightDrop(booster, model, count)
	if err != nil {
		return err
	}
	if name == "dart" && drop == nil {
		return errors.New("a dart model without weight_drop")
	}
	for i, item := range items {
		t, err := readTree(object{fmt.Sprintf("%s[%d]", list.path, i), item}, len(m.features))
		if err != nil {
			return err
		}
		if drop != nil {
			t.scale(drop[i])
		}
		m.trees = append(m.trees, t)
	}
	return nil
}

// weightDrop returns the weights of a dart model's trees, nil for other models.
func weightDrop(booster, model object, count int) ([]float64, error) {
	for _, place := range []object{booster, model} {
		value := place.at("weight_drop")
		if !value.present() {
			continue
		}
		drop, err := value.numbers()
		if err != nil {
			return nil, err
		}
		if len(drop) == 0 {
			continue
		}
		if len(drop) != count {
			return nil, fmt.Errorf("weight_drop: %d weights for %d trees", len(drop), count)
		}
		for _, w := range drop {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, errors.New("weight_drop: not finite")
			}
		}
		return drop, nil
	}
	return nil, nil
}

// scale multiplies the leaves by a weight, in float32 as XGBoost does.
func (t tree) scale(weight float64) {
	for i := range t {
		if t[i].left < 0 {
			t[i].value *= float32(weight)
		}
		t[i].mean *= weight
	}
}

// readTree reads a tree and checks that it is one: walked from the root, each
// node is met once, and every index is in range. Nodes that pruning left behind
// are dropped.
func readTree(value object, features int) (tree, error) {
	if err := scalarLeaves(value); err != nil {
		return nil, err
	}
	columns := map[string][]float64{}
	size := -1
	for _, name := range []string{"left_children", "right_children", "split_indices", "split_conditions", "default_left", "sum_hessian"} {
		column, err := value.at(name).numbers()
		if err != nil {
			return nil, err
		}
		if size >= 0 && len(column) != size {
			return nil, fmt.Errorf("%s.%s: %d nodes, others have %d", value.path, name, len(column), size)
		}
		size = len(column)
		columns[name] = column
	}
	if size == 0 {
		return nil, fmt.Errorf("%s: no nodes", value.path)
	}
	if declared, err := value.at("tree_param").at("num_nodes").integer(); err != nil || declared != size {
		return nil, fmt.Errorf("%s: %d nodes, num_nodes is %d (%w)", value.path, size, declared, orMismatch(err))
	}
	index := func(column string, at int) int {
		v := columns[column][at]
		if v != math.Trunc(v) || v < -1 || v > math.MaxInt32 {
			return math.MaxInt32
		}
		return int(v)
	}
	type pending struct {
		from, parent int
		isLeft       bool
	}
	var t tree
	hessian := []float64{}
	seen := make([]bool, size)
	for stack := []pending{{0, -1, false}}; len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[p.from] {
			return nil, fmt.Errorf("%s: node %d has two parents", value.path, p.from)
		}
		seen[p.from] = true
		n := node{left: -1, right: -1, parent: p.parent, value: float32(columns["split_conditions"][p.from])}
		at := len(t)
		if p.parent >= 0 {
			if p.isLeft {
				t[p.parent].left = at
			} else {
				t[p.parent].right = at
			}
		}
		left, right := index("left_children", p.from), index("right_children", p.from)
		weight := columns["sum_hessian"][p.from]
		if math.IsNaN(float64(n.value)) || math.IsNaN(weight) || math.IsInf(weight, 0) {
			return nil, fmt.Errorf("%s: node %d is not a number", value.path, p.from)
		}
		if left == -1 && right == -1 {
			if math.IsInf(float64(n.value), 0) {
				return nil, fmt.Errorf("%s: leaf %d is infinite", value.path, p.from)
			}
			n.mean = float64(n.value)
		} else {
			n.feature = index("split_indices", p.from)
			if n.feature < 0 || n.feature >= features || left <= 0 || right <= 0 || left >= size || right >= size {
				return nil, fmt.Errorf("%s: node %d points to feature %d, children %d and %d", value.path, p.from, n.feature, left, right)
			}
			n.missingLeft = columns["default_left"][p.from] != 0
			stack = append(stack, pending{right, at, false}, pending{left, at, true})
		}
		t = append(t, n)
		hessian = append(hessian, weight)
	}
	t.setMeans(hessian)
	return t, nil
}

// depth is the number of splits on the longest path.
func (t tree) depth() int {
	at := make([]int, len(t))
	most := 0
	for i := range t { // parents stand before their children
		if t[i].parent >= 0 {
			at[i] = at[t[i].parent] + 1
			most = max(most, at[i])
		}
	}
	return most
}

// setMeans gives each split the mean of the leaves below, and each node its share of the
// rows of its parent. Children stand after
// their parent, so one pass from the end suffices. base_weights of the file are not
// these means: they were taken before the learning rate and with regularisation.
func (t tree) setMeans(hessian []float64) {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i].left < 0 {
			continue
		}
		l, r := t[i].left, t[i].right
		if total := hessian[i]; total > 0 {
			t[i].mean = (t[l].mean*hessian[l] + t[r].mean*hessian[r]) / total
			t[l].share, t[r].share = hessian[l]/total, hessian[r]/total
		} else {
			t[i].mean = (t[l].mean + t[r].mean) / 2
			t[l].share, t[r].share = 0.5, 0.5
		}
	}
}

// scalarLeaves refuses trees with categorical splits or several values a leaf.
func scalarLeaves(value object) error {
	if types := value.at("split_type"); types.present() {
		numbers, err := types.numbers()
		if err != nil {
			return err
		}
		for _, n := range numbers {
			if n != 0 {
				return fmt.Errorf("%s: a categorical split: only numeric features are supported", value.path)
			}
		}
	}
	if nodes := value.at("categories_nodes"); nodes.present() && nodes.length() > 0 {
		return fmt.Errorf("%s: a categorical split: only numeric features are supported", value.path)
	}
	if width := value.at("tree_param").at("size_leaf_vector"); width.present() {
		n, err := width.integer()
		if err != nil {
			return err
		}
		if n > 1 {
			return fmt.Errorf("%s: leaves with %d values: only models with one output are supported", value.path, n)
		}
	}
	if value.at("leaf_weights").present() {
		return fmt.Errorf("%s: vector leaves: only models with one output are supported", value.path)
	}
	return nil
}

var errMismatch = errors.New("they differ")

func orMismatch(err error) error {
	if err != nil {
		return err
	}
	return errMismatch
}

// object is a decoded value with its path in the file, for error messages.
type object struct {
	path  string
	value any // nil = absent
}

func (o object) present() bool { return o.value != nil }

func (o object) at(name string) object {
	path := name
	if o.path != "" {
		path = o.path + "." + name
	}
	fields, _ := o.value.(map[string]any)
	return object{path, fields[name]}
}

func (o object) wrong(want string) error {
	if o.value == nil {
		return fmt.Errorf("%s is missing", o.path)
	}
	return fmt.Errorf("%s: want %s", o.path, want)
}

func (o object) fields() (map[string]any, error) {
	if fields, ok := o.value.(map[string]any); ok {
		return fields, nil
	}
	return nil, o.wrong("an object")
}

func (o object) text() (string, error) {
	if text, ok := o.value.(string); ok {
		return text, nil
	}
	return "", o.wrong("text")
}

// integer reads a whole number, which XGBoost writes as text.
func (o object) integer() (int, error) {
	text, err := o.text()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, o.wrong("a whole number")
	}
	return int(n), nil
}

// numbers reads an array of numbers; bools count as 0 and 1 (some versions write
// default_left so).
func (o object) numbers() ([]float64, error) {
	switch list := o.value.(type) {
	case []float64:
		return list, nil
	case []any:
		out := make([]float64, len(list))
		for i, item := range list {
			switch v := item.(type) {
			case float64:
				out[i] = v
			case bool:
				if v {
					out[i] = 1
				}
			default:
				return nil, o.wrong("numbers")
			}
		}
		return out, nil
	}
	return nil, o.wrong("an array of numbers")
}

func (o object) items() ([]any, error) {
	switch list := o.value.(type) {
	case []any:
		return list, nil
	case []float64:
		if len(list) == 0 {
			return nil, nil
		}
	}
	return nil, o.wrong("an array")
}

func (o object) texts() ([]string, error) {
	items, err := o.items()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, o.wrong("an array of texts")
		}
		out[i] = text
	}
	return out, nil
}

// length counts the elements of an array, 0 for anything else.
func (o object) length() int {
	switch list := o.value.(type) {
	case []any:
		return len(list)
	case []float64:
		return len(list)
	}
	return 0
}

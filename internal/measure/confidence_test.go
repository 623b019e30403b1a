package measure

import "testing"

func TestConfidenceVector(t *testing.T) {
	got, ok := Confidence([]float64{3.7997665209142713, 3.9997748072386585}, 0.95)
	if !ok {
		t.Fatal("no interval")
	}
	for name, pair := range map[string][2]float64{
		"mean": {got.Mean, 3.899770664076465}, "std": {got.Std, 0.14142721555347484}, "se": {got.SE, 0.10000414316219362},
		"t": {got.T, 12.706204736174694}, "low": {got.Low, 2.6290975465919084}, "high": {got.High, 5.170443781561022}, "cv": {got.CV, 0.03626552116417013},
	} {
		if !near(pair[0], pair[1]) {
			t.Errorf("%s = %v, want %v", name, pair[0], pair[1])
		}
	}
	for df, want := range map[int]float64{2: 4.302653, 3: 3.182446, 4: 2.776445} {
		values := make([]float64, df+1)
		values[0] = 1
		i, _ := Confidence(values, 0.95)
		if i.T < want-1e-6 || i.T > want+1e-6 {
			t.Errorf("t with %d degrees of freedom is %v, want %v", df, i.T, want)
		}
	}
	if one, _ := Confidence([]float64{7}, 0.95); one.Std != 0 || one.Low != 7 || one.High != 7 || one.T == one.T {
		t.Errorf("a single run gives %+v", one)
	}
}

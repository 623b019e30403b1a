package idle

import "testing"

func TestObjectsAreReusedUpToTheBound(t *testing.T) {
	made := 0
	list := New(2, func() int { made++; return made })
	for _, object := range []int{list.Get(), list.Get(), list.Get()} {
		list.Put(object)
	}
	got := []int{list.Get(), list.Get(), list.Get()}
	if made != 4 || got[0] != 1 || got[1] != 2 || got[2] != 4 {
		t.Errorf("%d made, got %v: two of three are kept", made, got)
	}
}

func TestFill(t *testing.T) {
	made := 0
	list := New(3, func() int { made++; return made })
	for _, step := range []struct{ idle, made int }{{2, 2}, {1, 2}, {9, 3}} {
		if list.Fill(step.idle); made != step.made {
			t.Errorf("filled to %d: %d made, expected %d", step.idle, made, step.made)
		}
	}
}

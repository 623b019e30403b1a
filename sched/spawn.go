package sched

// spawnAll starts the branches of a root's turn that start with its request, or with its return (5.4).
func (m *Machine) spawnAll(t *tree, turn int, atIssue bool, base int64) {
	for _, b := range t.plan.conversations[0].turns[turn].spawns {
		state := &t.branches[b]
		if !state.started && !state.void && t.plan.branches[b].atIssue == atIssue {
			m.spawn(t, b, base)
		}
	}
}

// spawn creates the children of a branch, registers them with their gate, then schedules their first
// turns after the instant base.
func (m *Machine) spawn(t *tree, b int, base int64) {
	branch := &t.plan.branches[b]
	if reason := m.childRefusal(); reason != "" {
		m.neverSpawn(t, b, reason)
		m.cascade(t, base)
		m.branchAdvanced(t, b, base)
		return
	}
	t.branches[b].started = true
	if branch.joinTurn >= 0 && len(branch.children) > 0 {
		m.createGate(t, branch.joinTurn)
	}
	origin := OriginSpawnReturn
	if branch.atIssue {
		origin = OriginSpawnIssue
	}
	children := make([]*stream, len(branch.children))
	for i, conv := range branch.children {
		offset := m.spawnOffset(branch, i)
		children[i] = m.openStream(t, conv, 0, origin, base, offset)
		m.phase.branches.Spawned++
		if offset > 0 {
			m.phase.branches.Delayed++
		}
	}
	for i, child := range children {
		m.schedule(child, base, m.spawnOffset(branch, i), TimerSpawn)
	}
	m.branchAdvanced(t, b, base)
}

// spawnOffset is the recorded delay of a child's first turn; the cache warmup has no pauses.
func (m *Machine) spawnOffset(branch *recordedBranch, child int) int64 {
	if m.phase.stage == stagePressure {
		return 0
	}
	return branch.offsetsNs[child]
}

// neverSpawn gives a branch up before it started. Its joins count it as complete, and turns that wait
// for its children wait no more (5.6.4). The caller runs cascade.
func (m *Machine) neverSpawn(t *tree, b int, why Reason) {
	if t.branches[b].started || t.branches[b].void {
		return
	}
	t.branches[b].void = true
	for _, child := range t.plan.branches[b].children {
		m.phase.branches.NeverSpawned++
		m.void(t, child, 0, why)
	}
}

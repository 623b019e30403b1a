package invariants

// ToleranceNs is how late the tests may be.
const ToleranceNs = toleranceNs

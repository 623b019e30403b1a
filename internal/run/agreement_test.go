package run

import (
	"testing"

	"agentx/eventlog"
)

func answerWith(planned, counted int64) *eventlog.ExchangeEnd {
	return &eventlog.ExchangeEnd{Outcome: eventlog.OutcomeOK, PromptTokens: planned, Usage: &eventlog.Usage{Prompt: &counted}}
}

func TestAgreementAllowsForTheTemplateAndFindsAnotherTokenizer(t *testing.T) {
	var reports []agreementReport
	same := agreement{report: func(r agreementReport) { reports = append(reports, r) }}
	for range agreementAnswers + 5 {
		same.add(answerWith(10_000, 10_031), make([]byte, 6), nil)
	}
	if len(reports) != 1 || reports[0].Apart != 0 || reports[0].Compared != agreementAnswers {
		t.Fatalf("reports are %+v, want one with nothing apart", reports)
	}
	other := agreement{report: func(r agreementReport) { reports = append(reports, r) }}
	for range 3 {
		other.add(answerWith(10_000, 11_000), make([]byte, 6), nil)
	}
	other.close()
	if got := reports[1]; got.Apart != 3 || got.Factor != 1.1 {
		t.Errorf("report is %+v, want 3 apart by a factor of 1.1", got)
	}
}

func TestAgreementTakesOnlyAnswersThatCount(t *testing.T) {
	a := agreement{report: func(agreementReport) { t.Error("reported, though nothing could be compared") }}
	a.add(&eventlog.ExchangeEnd{Outcome: eventlog.OutcomeOK, PromptTokens: 5}, nil, nil)
	failed := answerWith(100, 300)
	failed.Outcome = eventlog.OutcomeError
	a.add(failed, nil, nil)
	a.close()
}

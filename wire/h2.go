package wire

import "context"

type h2conn struct{}

func (h *h2conn) bye()                                    {}
func (h *h2conn) idle() bool                              { return false }
func (h *h2conn) usable() bool                            { return false }
func (d *dialer) startHTTP2(context.Context, *conn) error { return nil }
func (x *exchange) exchangeH2()                           {}
func (x *exchange) stalledH2() error                      { return nil }

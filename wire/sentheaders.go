package wire

// SentHeaders are the headers that a request carries, in their order, with secrets masked: for records of
// what was sent. Content-Length is left out: it is that of the body.
func (c *Client) SentHeaders(r *Request) []Header {
	list := appendHeaders(nil, c.targetOf(r.URLIndex).headers, r)
	list = RedactHeaders(list, c.options.SessionHeader, c.options.Affinity.TreeHeader)
	for i := range list {
		list[i].Value = c.redactor.Text(list[i].Value)
	}
	return list
}

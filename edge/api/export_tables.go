package api

import (
	"io"

	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/table"
)

// ExportTable returns the handler of a long table, such as GET /api/export/signals.
func (a *API) ExportTable(t exports.LongTable) web.Handler {
	return func(c *web.Call) (*web.Reply, error) {
		format, err := exportFormat(c)
		if err != nil {
			return nil, err
		}
		f, err := c.Query.Filter(c.Served.Slugs, c.Served.Build)
		if err != nil {
			return nil, err
		}
		name := t.Base + format.Extension
		if f.Empty() && format.Name != table.SpreadsheetCSV && c.Served.Build.OverlayID() == "" {
			return prebuilt(c, name, name)
		}
		return &web.Reply{MediaType: format.MediaType, Attachment: name, ETagSeed: c.Request.URL.Path + "?" + c.Query.Canonical(),
			Stream: func(w io.Writer) error {
				set := c.Served.Build.Select(f)
				order := c.Served.Build.InKeyOrder(set)
				return writeItems(w, format.Name, t.Columns, len(order), func(i int) ([]table.Row, error) {
					e := c.Served.Build.Entity(order[i])
					return t.Rows(e, c.Served.Build.Namespace), nil
				})
			}}, nil
	}
}

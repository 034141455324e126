package table

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// parquetEncoder writes Parquet with zstd pages. It writes strings as optional
// UTF-8 strings, lists as LIST, decimals and numbers as optional doubles, whole numbers as
// optional 64-bit integers, dates as optional DATE, times as optional TIMESTAMP, and raw
// values as optional UTF-8 strings, because some readers reject the logical type JSON.
// https://parquet.apache.org/docs/file-format/
type parquetEncoder struct {
	w       *parquet.GenericWriter[any]
	columns []Column
	rows    []parquet.Row
}

// parquetBatch is the number of rows passed to the writer at once.
const parquetBatch = 256

// parquetOptions determines how rows are grouped. The writer keeps a row group in
// memory.
type parquetOptions struct {
	group int64 // maximum number of rows in a row group
	page  int   // size in bytes of each column's page buffer
	codec *zstd.Codec
}

var (
	// fileParquet is for a build's files. Changing these options changes the bytes of exports.
	fileParquet = parquetOptions{group: 10_000, page: parquet.DefaultPageBufferSize,
		codec: &zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}}
	// streamParquet is for streamed responses. All streams share a codec, because its
	// encoders take most of the memory.
	streamParquet = parquetOptions{group: 5_000, page: 64 << 10,
		codec: &zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}}
)

func newParquetEncoder(w io.Writer, columns []Column, o parquetOptions) *parquetEncoder {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		f := reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[string]()}
		tag := c.Name + ",optional"
		switch c.Kind {
		case List:
			f.Type, tag = reflect.TypeFor[[]string](), c.Name+",list"
		case Numbers:
			f.Type, tag = reflect.TypeFor[[]float64](), c.Name+",list"
		case Decimal, Number, Money:
			f.Type = reflect.TypeFor[float64]()
		case Integer:
			f.Type = reflect.TypeFor[int64]()
		case Date:
			f.Type, tag = reflect.TypeFor[int32](), c.Name+",optional,date"
		case Timestamp:
			f.Type, tag = reflect.TypeFor[int64](), c.Name+",optional,timestamp(millisecond:utc)"
		case Boolean:
			f.Type = reflect.TypeFor[bool]()
		}
		f.Tag = reflect.StructTag(`parquet:"` + tag + `"`)
		fields[i] = f
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	return &parquetEncoder{
		w: parquet.NewGenericWriter[any](w, schema,
			parquet.Compression(o.codec),
			parquet.CreatedBy("kindex", "1", ""),
			parquet.PageBufferSize(o.page),
			parquet.MaxRowsPerRowGroup(o.group)),
		columns: columns,
	}
}

func (e *parquetEncoder) Write(r Row) error {
	if len(e.rows) == cap(e.rows) {
		e.rows = slices.Grow(e.rows, parquetBatch)
	}
	at := len(e.rows)
	row := e.rows[:at+1][at][:0] // the row of an earlier batch, if there was one
	for i, c := range e.columns {
		cell := &r[i]
		null := parquet.NullValue().Level(0, 0, i)
		switch {
		case c.Kind == List && len(cell.List) == 0, c.Kind == Numbers && len(cell.Numbers) == 0:
			row = append(row, null)
		case c.Kind == Numbers:
			for j, x := range cell.Numbers {
				row = append(row, parquet.DoubleValue(x).Level(min(j, 1), 1, i))
			}
		case c.Kind == List:
			for j, s := range cell.List {
				row = append(row, parquet.ValueOf(s).Level(min(j, 1), 1, i))
			}
		case c.Kind == Date && cell.Text != "":
			d, err := time.Parse(time.DateOnly, cell.Text)
			if err != nil {
				return fmt.Errorf("parquet: %s: %w", c.Name, err)
			}
			row = append(row, parquet.Int32Value(int32(d.Unix()/86400)).Level(0, 1, i))
		case c.Kind == Timestamp && cell.Text != "":
			moment, err := time.Parse(time.RFC3339, cell.Text)
			if err != nil {
				return fmt.Errorf("parquet: %s: %w", c.Name, err)
			}
			row = append(row, parquet.Int64Value(moment.UnixMilli()).Level(0, 1, i))
		case (c.Kind == Text || c.Kind == Raw) && cell.Text != "":
			row = append(row, parquet.ValueOf(cell.Text).Level(0, 1, i))
		case c.Kind == Boolean && cell.Text != "":
			row = append(row, parquet.BooleanValue(cell.Text == "true").Level(0, 1, i))
		case (c.Kind == Decimal || c.Kind == Number || c.Kind == Money) && cell.Known:
			row = append(row, parquet.DoubleValue(cell.Number).Level(0, 1, i))
		case c.Kind == Integer && cell.Known:
			row = append(row, parquet.Int64Value(int64(cell.Number)).Level(0, 1, i))
		default:
			row = append(row, null)
		}
	}
	e.rows = append(e.rows, row)
	if len(e.rows) == parquetBatch {
		return e.flush()
	}
	return nil
}

func (e *parquetEncoder) flush() error {
	_, err := e.w.WriteRows(e.rows)
	e.rows = e.rows[:0]
	return err
}

func (e *parquetEncoder) Close() error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.w.Close()
}

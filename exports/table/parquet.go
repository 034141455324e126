package table

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
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
	var row parquet.Row
	for i, c := range e.columns {
		values, err := parquetValues(c.Kind, r[i])
		if err != nil {
			return fmt.Errorf("parquet: %s: %w", c.Name, err)
		}
		for j, v := range values {
			row = append(row, v.Level(min(j, 1), 1, i))
		}
		if len(values) == 0 {
			row = append(row, parquet.NullValue().Level(0, 0, i))
		}
	}
	if e.rows = append(e.rows, row); len(e.rows) == parquetBatch {
		return e.flush()
	}
	return nil
}

// parquetValues returns the values of a cell: none for null, and several for a list.
func parquetValues(kind Kind, cell any) (list []parquet.Value, err error) {
	switch v := cell.(type) {
	case string:
		return parquetText(kind, v)
	case json.RawMessage:
		return parquetText(kind, string(v))
	case []string:
		for _, s := range v {
			list = append(list, parquet.ValueOf(s))
		}
	case []float64:
		for _, x := range v {
			list = append(list, parquet.DoubleValue(x))
		}
	case bool:
		list = append(list, parquet.BooleanValue(v))
	case float64:
		if kind == Integer {
			return append(list, parquet.Int64Value(int64(v))), nil
		}
		list = append(list, parquet.DoubleValue(v))
	case interface {
		Known() bool
		Float() float64
	}: // a score or a price
		if v.Known() {
			list = append(list, parquet.DoubleValue(v.Float()))
		}
	}
	return list, nil
}

func parquetText(kind Kind, text string) (list []parquet.Value, err error) {
	var t time.Time
	switch {
	case text == "":
	case kind == Date:
		t, err = time.Parse(time.DateOnly, text)
		list = append(list, parquet.Int32Value(int32(t.Unix()/86400)))
	case kind == Timestamp:
		t, err = time.Parse(time.RFC3339, text)
		list = append(list, parquet.Int64Value(t.UnixMilli()))
	default:
		list = append(list, parquet.ValueOf(text))
	}
	return list, err
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

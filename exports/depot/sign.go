package depot

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/buildlog"
)

// sign appends a statement about the build to the key's log.
func (p *publisher) sign(ctx context.Context, next *current) error {
	statement, err := statementOf(p.local.manifest, p.local.index, p.local.set.manifest)
	if err != nil {
		return err
	}
	v := p.key.Verifier
	log := openLog(p.to, v)
	if _, err := readLog(ctx, log.logReader, v, p.dir, false); err != nil {
		return err
	}
	s, signed, err := buildlog.Append(ctx, log, p.key.Signer, v, *statement)
	if err != nil {
		return fmt.Errorf("%s: %w", log, err)
	}
	now, err := readLog(ctx, log.logReader, v, p.dir, false)
	if err != nil {
		return err
	}
	p.signed = &verifiedStatement{s, signed, Signature{Key: buildlog.KeyName(v), Position: s.Position, LogSize: now.Size, Checkpoint: now.String()}}
	next.Signature = &Signature{Key: buildlog.KeyName(v), Position: s.Position, LogSize: now.Size}
	return nil
}

// ensureSigned signs a build that is published, unless it is signed with the key.
func (p *publisher) ensureSigned(ctx context.Context, c *current, tag string) (err error) {
	if p.report.Unchanged = p.key == nil; p.report.Unchanged {
		return nil
	}
	keyed := PullOptions{Dir: p.dir, Verifiers: []note.Verifier{p.key.Verifier}, anyBuild: true}
	if p.signed, err = verifyStatement(ctx, p.to, c, "", keyed); err != nil {
		if err := p.sign(ctx, c); err != nil { // sign finds out whether something is wrong with the log
			return err
		}
		return p.writeCurrent(ctx, c, tag)
	}
	p.report.Unchanged, p.report.Signature = true, &p.signed.signature
	return p.signed.save(p.dir, c.Build)
}

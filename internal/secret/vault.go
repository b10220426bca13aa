package secret

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"filippo.io/age"

	"toolsmith/internal/scrub"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// Action is what was done to a secret.
type Action string

// What is done to secrets.
const (
	ActionSet    Action = "set"
	ActionDelete Action = "delete"
)

// Options are what a vault needs.
type Options struct {
	// Store is where the sealed secrets are kept; required.
	Store store.Store
	// Keys is where the key is kept; required. It is asked only when a secret is used.
	Keys Keys
	// Now tells the time; nil is the real one.
	Now func() time.Time
	// Who acts; it is kept with each secret.
	Who string
	// Audit notes what is done to a secret, in the same transaction; nil notes nothing.
	Audit func(ctx context.Context, tx store.Tx, done Action, namespace, name string) error
}

// Vault keeps secrets. It may be used from many goroutines at once.
type Vault struct {
	o Options
	// seen are all values that this process has had in its hands.
	seen seen

	mu  sync.Mutex
	key *age.X25519Identity // nil until it was needed
}

// New makes a vault. It does nothing yet.
func New(o Options) *Vault {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Vault{o: o}
}

// Secret is an open secret.
type Secret struct {
	Name, Value string
	Attributes
}

// Info is what may be said of a secret.
type Info struct {
	Namespace, Name string
	Attributes
	SetAt time.Time
	SetBy string
	// Unreadable is why the secret cannot be opened; nil where its key is there.
	Unreadable error
}

// Set keeps a secret, in place of an earlier one of that name. The notes are for the person
// who set it. Errors have one of the codes CodeName, CodeValue, CodeTooShort, CodeTooLong and
// CodeHeader, or are about the key or the store; none of them shows the value.
func (v *Vault) Set(ctx context.Context, namespace, name, value string, a Attributes) (notes []string, err error) {
	value, notes, err = checked(namespace, name, value, a)
	if err != nil {
		return nil, err
	}
	v.seen.add(name, value)
	key, err := v.keyToSeal(ctx)
	if err != nil {
		return nil, err
	}
	sealed, err := seal(key, content{namespace, name, a.Header, a.Prefix, value})
	if err != nil {
		return nil, err
	}
	return notes, v.o.Store.Write(ctx, func(tx store.Tx) error {
		err := tx.Secrets().Put(ctx, store.Secret{
			Namespace: namespace, Name: name, Header: a.Header, Prefix: a.Prefix, Sealed: sealed, KeyID: keyID(key),
			SetAt: v.o.Now(), SetBy: v.o.Who,
		})
		if err != nil {
			return fmt.Errorf("keep a secret: %w", err)
		}
		return v.audit(ctx, tx, ActionSet, namespace, name)
	})
}

func checked(namespace, name, value string, a Attributes) (kept string, notes []string, err error) {
	if namespace == "" {
		return "", nil, tool.Errorf(CodeName, "A secret belongs to a tool; this one would belong to none.")
	}
	if err := checkName(name); err != nil {
		return "", nil, err
	}
	if err := a.check(); err != nil {
		return "", nil, err
	}
	return checkValue(value, a)
}

func (v *Vault) audit(ctx context.Context, tx store.Tx, done Action, namespace, name string) error {
	if v.o.Audit == nil {
		return nil
	}
	return v.o.Audit(ctx, tx, done, namespace, name)
}

// Get opens a secret. The error has CodeMissing where the namespace has none of that name.
func (v *Vault) Get(ctx context.Context, namespace, name string) (Secret, error) {
	var kept store.Secret
	var ok bool
	err := v.o.Store.Read(ctx, func(tx store.Tx) (err error) {
		kept, ok, err = tx.Secrets().Get(ctx, namespace, name)
		return err
	})
	if err != nil {
		return Secret{}, fmt.Errorf("read a secret: %w", err)
	}
	if !ok {
		return Secret{}, missing(name)
	}
	key, err := v.loadKey(ctx)
	if err != nil {
		return Secret{}, err
	}
	if keyID(key) != kept.KeyID {
		return Secret{}, otherKey(name)
	}
	opened, err := open(key, kept)
	if err != nil {
		return Secret{}, err
	}
	v.seen.add(name, opened.Value)
	return Secret{Name: name, Value: opened.Value, Attributes: Attributes{opened.Header, opened.Prefix}}, nil
}

// missing does not repeat what is no name: it may be a value that stands in the wrong place.
func missing(name string) error {
	if checkName(name) != nil {
		return tool.Errorf(CodeMissing, "The tool has no secret of this name.")
	}
	return tool.Errorf(CodeMissing, "The tool has no secret %q. See those it has with: toolsmith secrets", name)
}

func otherKey(name string) error {
	return tool.Errorf(CodeKeyMissing, "The secret %q was sealed for another key than the one that is here, so it cannot be read. "+
		"Bring that key back, or delete the secret and set it again.", name)
}

// List tells of the secrets of a namespace, sorted by name. Those that cannot be opened are
// among them.
func (v *Vault) List(ctx context.Context, namespace string) ([]Info, error) {
	if namespace == "" {
		return nil, nil
	}
	return v.list(ctx, namespace)
}

// ListAll tells of the secrets of all namespaces, sorted by namespace and name.
func (v *Vault) ListAll(ctx context.Context) ([]Info, error) { return v.list(ctx, "") }

func (v *Vault) list(ctx context.Context, namespace string) ([]Info, error) {
	var kept []store.Secret
	err := v.o.Store.Read(ctx, func(tx store.Tx) (err error) {
		kept, err = tx.Secrets().List(ctx, namespace)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the secrets: %w", err)
	}
	if len(kept) == 0 {
		return nil, nil // the key is not needed
	}
	key, keyless := v.loadKey(ctx)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list the secrets: %w", err)
	}
	list := make([]Info, len(kept))
	for i, s := range kept {
		list[i] = Info{
			Namespace: s.Namespace, Name: s.Name, Attributes: Attributes{s.Header, s.Prefix}, SetAt: s.SetAt, SetBy: s.SetBy, Unreadable: keyless,
		}
		if keyless == nil && keyID(key) != s.KeyID {
			list[i].Unreadable = otherKey(s.Name)
		}
	}
	return list, nil
}

// Delete forgets a secret; its key need not be there. The error has CodeMissing where there is
// none.
func (v *Vault) Delete(ctx context.Context, namespace, name string) error {
	return v.o.Store.Write(ctx, func(tx store.Tx) error {
		deleted, err := tx.Secrets().Delete(ctx, namespace, name)
		if err != nil {
			return fmt.Errorf("delete a secret: %w", err)
		}
		if !deleted {
			return missing(name)
		}
		return v.audit(ctx, tx, ActionDelete, namespace, name)
	})
}

// DeleteNamespace forgets all secrets of a namespace, and says how many there were.
func (v *Vault) DeleteNamespace(ctx context.Context, namespace string) (deleted int, err error) {
	if namespace == "" {
		return 0, nil
	}
	err = v.o.Store.Write(ctx, func(tx store.Tx) error {
		list, err := tx.Secrets().List(ctx, namespace)
		if err != nil {
			return err
		}
		for _, s := range list {
			if err := v.audit(ctx, tx, ActionDelete, namespace, s.Name); err != nil {
				return err
			}
		}
		deleted, err = tx.Secrets().DeleteNamespace(ctx, namespace)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("delete the secrets of a tool: %w", err)
	}
	return deleted, nil
}

// Scrubber takes out every value that this process has set or opened; nil where there are
// none. It is meant for logs; what a run shows is scrubbed of what that run has seen (NewUse).
func (v *Vault) Scrubber() *scrub.Scrubber { return v.seen.scrubber() }

// loadKey gives the key; it is looked for once.
func (v *Vault) loadKey(ctx context.Context) (*age.X25519Identity, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.key != nil {
		return v.key, nil
	}
	id, _, err := v.folder(ctx)
	if err != nil {
		return nil, err
	}
	v.key, err = v.o.Keys.Load(ctx, id)
	return v.key, err
}

// keyToSeal gives the key, and makes one where there is none and no secret that would need
// another one.
func (v *Vault) keyToSeal(ctx context.Context) (*age.X25519Identity, error) {
	key, err := v.loadKey(ctx)
	if tool.Code(err) != CodeKeyMissing {
		return key, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	id, count, folderErr := v.folder(ctx)
	if folderErr != nil {
		return nil, folderErr
	}
	if count > 0 {
		return nil, err
	}
	if key, err = v.o.Keys.Make(ctx, id); err != nil {
		return nil, err
	}
	v.key = key
	return key, nil
}

// folder gives the id of the store, and how many secrets are in it.
func (v *Vault) folder(ctx context.Context) (id string, count int, err error) {
	err = v.o.Store.Read(ctx, func(tx store.Tx) (err error) {
		if id, err = tx.Secrets().Folder(ctx); err != nil {
			return err
		}
		count, err = tx.Secrets().Count(ctx)
		return err
	})
	if err != nil {
		return "", 0, fmt.Errorf("look for the key of the secrets: %w", err)
	}
	return id, count, nil
}

// keyID names a key without giving it away.
func keyID(key *age.X25519Identity) string {
	const enough = 8 // bytes
	sum := sha256.Sum256([]byte(key.Recipient().String()))
	return hex.EncodeToString(sum[:enough])
}

// content is what is sealed. With the value goes whose it is: what was sealed for one tool is
// of no use under the name of another.
type content struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Header    string `json:"header"`
	Prefix    string `json:"prefix"`
	Value     string `json:"value"`
}

func seal(key *age.X25519Identity, c content) ([]byte, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, key.Recipient())
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	_, err = w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	return out.Bytes(), nil
}

// open gives what was sealed, if it is what stands beside it. The causes of errors are left
// out: they could tell of what was read.
func open(key *age.X25519Identity, s store.Secret) (content, error) {
	damaged := tool.Errorf(CodeDamaged, "What is kept of the secret %q is damaged, or belongs to another tool. Set it again.", s.Name)
	r, err := age.Decrypt(bytes.NewReader(s.Sealed), key)
	if err != nil {
		return content{}, damaged
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return content{}, damaged
	}
	var c content
	if json.Unmarshal(text, &c) != nil || c.Value == "" || c != (content{s.Namespace, s.Name, s.Header, s.Prefix, c.Value}) {
		return content{}, damaged
	}
	return c, nil
}

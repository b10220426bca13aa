package quickjs

import "bytes"

// Sections of a module.
const (
	sectionTypes     = 1
	sectionImports   = 2
	sectionFunctions = 3
	sectionGlobals   = 6
	sectionCode      = 10
)

// Instructions that are written, or that are looked for.
const (
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opCall         = 0x10
	opReturnCall   = 0x12
	opReturnCallBy = 0x13
	opDrop         = 0x1a
	opLocalGet     = 0x20
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI32Const     = 0x41
	opI32LeS       = 0x4c
	opI32Sub       = 0x6b
	opI32ShrU      = 0x76
	opPrefixFC     = 0xfc
	blockVoid      = 0x40
	typeI32        = 0x7f
	typeFunction   = 0x60
)

// bulkShift is how many bytes of a bulk operation cost as much as one round of a loop, as a
// power of two.
const bulkShift = 6

// maxLocals is how many local variables a function may have, as engines have it.
const maxLocals = 50_000

// section is one part of a module.
type section struct {
	id   byte
	body []byte
}

// meter rewrites a module so that it calls the function that it imports as module.name after
// each `every` rounds of loops, wherever these are; operations on whole pieces of memory count
// by their size. The function has no parameters, and its one i32 result is dropped: it stops the module by
// not returning. Without it a guest could hold its thread for good, since neither Go nor the
// engine interrupts machine code.
func meter(wasm []byte, module, name string, every int32) ([]byte, error) {
	b := &bytecode{text: wasm}
	if !bytes.Equal(b.bytes(8), []byte("\x00asm\x01\x00\x00\x00")) {
		b.fail("it does not begin like one")
	}
	var sections []section
	for !b.done() {
		id := b.byte()
		sections = append(sections, section{id, b.bytes(b.unsigned())})
	}
	m := metering{every: every, check: ^uint32(0)}
	for _, s := range sections {
		m.learn(b, s, module, name)
	}
	if b.err == nil && m.check == ^uint32(0) {
		b.fail("it does not import %s.%s as a function without parameters that gives an i32", module, name)
	}
	if b.err == nil && !m.hasGlobals {
		b.fail("it has no global variables")
	}
	out := append(make([]byte, 0, len(wasm)*5/4), wasm[:min(8, len(wasm))]...)
	for _, s := range sections {
		body := s.body
		switch s.id {
		case sectionGlobals:
			body = m.globals(b, body)
		case sectionCode:
			body = m.code(b, body)
		}
		out = append(out, s.id)
		out = appendUnsigned(out, uint32(len(body)))
		out = append(out, body...)
	}
	if b.err != nil {
		return nil, b.err
	}
	return out, nil
}

// signature is what meter knows of a type of functions.
type signature struct {
	params uint32
	// check says that it is the one of the imported function.
	check bool
}

// metering is what is known of a module that is rewritten.
type metering struct {
	every int32
	types []signature
	// functions of the module itself, by type.
	functions []uint32
	// check is the index of the imported function, fuel the one of the variable that counts down.
	check, fuel uint32
	hasGlobals  bool
}

// learn reads what a section says.
func (m *metering) learn(b *bytecode, s section, module, name string) {
	p := &bytecode{text: s.body, err: b.err}
	switch s.id {
	case sectionTypes:
		for n := p.unsigned(); n > 0 && p.err == nil; n-- {
			if form := p.byte(); form != typeFunction {
				p.fail("a type of form %#x", form)
			}
			params := p.bytes(p.unsigned())
			results := p.bytes(p.unsigned())
			m.types = append(m.types, signature{uint32(len(params)), len(params) == 0 && string(results) == "\x7f"})
		}
	case sectionImports:
		m.imports(p, module, name)
	case sectionFunctions:
		for n := p.unsigned(); n > 0 && p.err == nil; n-- {
			m.functions = append(m.functions, m.typeOf(p))
		}
	case sectionGlobals:
		m.hasGlobals = true
		m.fuel += p.unsigned()
	}
	b.close(p)
}

// typeOf reads the index of a type that there is.
func (m *metering) typeOf(p *bytecode) uint32 {
	index := p.unsigned()
	if p.err == nil && index >= uint32(len(m.types)) {
		p.fail("type %d is not there", index)
		return 0
	}
	return index
}

func (m *metering) imports(p *bytecode, module, name string) {
	functions := uint32(0)
	for n := p.unsigned(); n > 0 && p.err == nil; n-- {
		from, what := string(p.bytes(p.unsigned())), string(p.bytes(p.unsigned()))
		switch kind := p.byte(); kind {
		case 0: // a function
			index := m.typeOf(p)
			if p.err == nil && from == module && what == name && m.types[index].check {
				m.check = functions
			}
			functions++
		case 1: // a table
			p.byte()
			p.skipLimits()
		case 2: // a memory
			p.skipLimits()
		case 3: // a global
			p.bytes(2)
			m.fuel++
		default:
			p.fail("an import of kind %d", kind)
		}
	}
}

// globals adds the variable that counts down.
func (m *metering) globals(b *bytecode, body []byte) []byte {
	p := &bytecode{text: body, err: b.err}
	n := p.unsigned()
	b.close(p)
	if b.err != nil {
		return nil
	}
	out := appendUnsigned(nil, n+1)
	out = append(out, p.text[p.at:]...)
	out = append(out, typeI32, 1, opI32Const)
	out = appendSigned(out, m.every)
	return append(out, opEnd)
}

// code rewrites the functions.
func (m *metering) code(b *bytecode, body []byte) []byte {
	p := &bytecode{text: body, err: b.err}
	n := p.unsigned()
	if p.err == nil && n != uint32(len(m.functions)) {
		p.fail("%d bodies of %d functions", n, len(m.functions))
	}
	out := appendUnsigned(nil, n)
	for i := uint32(0); i < n && p.err == nil; i++ {
		f := p.part(p.unsigned())
		text := m.function(f, m.types[m.functions[i]].params)
		p.close(f)
		out = appendUnsigned(out, uint32(len(text)))
		out = append(out, text...)
	}
	b.close(p)
	return out
}

// function rewrites the body of one function. It gets one more local variable, for the size of
// bulk operations and for what is left.
func (m *metering) function(f *bytecode, params uint32) []byte {
	groups := f.unsigned()
	begin := f.at
	locals := uint64(params)
	for n := groups; n > 0 && f.err == nil; n-- {
		locals += uint64(f.unsigned())
		f.byte()
	}
	if f.err == nil && locals >= maxLocals {
		f.fail("%d local variables", locals)
	}
	if f.err != nil {
		return nil
	}
	spare := uint32(locals)
	out := make([]byte, 0, len(f.text)+len(f.text)/4+16)
	out = appendUnsigned(out, groups+1)
	out = append(out, f.text[begin:f.at]...)
	out = append(out, 1, typeI32)
	round, bulk := m.spend(nil, spare), m.spendBulk(spare)

	copied := f.at
	for !f.done() {
		at := f.at
		switch op := f.byte(); op {
		case opLoop: // its body begins with the check
			f.skipNumber()
			out = append(out, f.text[copied:f.at]...)
			out = append(out, round...)
			copied = f.at
		case opReturnCall, opReturnCallBy: // tail calls make loops too
			out = append(out, f.text[copied:at]...)
			out = append(out, round...)
			copied = at
			f.skipOperands(op)
		case opPrefixFC:
			if f.skipBulk() {
				out = append(out, f.text[copied:at]...)
				out = append(out, bulk...)
				copied = at
			}
		default:
			f.skipOperands(op)
		}
	}
	return append(out, f.text[copied:]...)
}

// spend writes the check: one less is left, and when nothing is, the imported function is called. What
// the stack already holds stays.
func (m *metering) spend(out []byte, spare uint32) []byte {
	out = append(out, opGlobalGet)
	out = appendUnsigned(out, m.fuel)
	out = append(out, opI32Const, 1, opI32Sub, opLocalTee)
	out = appendUnsigned(out, spare)
	out = append(out, opGlobalSet)
	out = appendUnsigned(out, m.fuel)
	out = append(out, opLocalGet)
	out = appendUnsigned(out, spare)
	out = append(out, opI32Const, 0, opI32LeS, opIf, blockVoid, opI32Const)
	out = appendSigned(out, m.every)
	out = append(out, opGlobalSet)
	out = appendUnsigned(out, m.fuel)
	out = append(out, opCall)
	out = appendUnsigned(out, m.check)
	return append(out, opDrop, opEnd)
}

// spendBulk writes what goes before a bulk operation, whose size is on top of the stack and
// stays there.
func (m *metering) spendBulk(spare uint32) []byte {
	out := appendUnsigned([]byte{opLocalTee}, spare)
	out = append(out, opGlobalGet)
	out = appendUnsigned(out, m.fuel)
	out = append(out, opLocalGet)
	out = appendUnsigned(out, spare)
	out = append(out, opI32Const, bulkShift, opI32ShrU, opI32Sub, opGlobalSet)
	out = appendUnsigned(out, m.fuel)
	return m.spend(out, spare)
}

// skipBulk passes over what follows the prefix 0xfc, and reports whether the instruction works on a
// piece of memory or of a table with its size on top of the stack.
func (b *bytecode) skipBulk() bool {
	switch op := b.unsigned(); op {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
		return false
	case 9, 13, 15, 16: // data.drop, elem.drop, table.grow, table.size
		b.unsigned()
		return false
	case 8, 10, 12, 14: // memory.init, memory.copy, table.init, table.copy
		b.unsigned()
		b.unsigned()
		return true
	case 11, 17: // memory.fill, table.fill
		b.unsigned()
		return true
	default:
		b.fail("instruction 0xfc %d", op)
		return false
	}
}

// skipOperands passes over what follows an instruction.
func (b *bytecode) skipOperands(op byte) {
	switch {
	case op == 0x02 || op == opIf || // a block and its type
		op == 0x0c || op == 0x0d || // branches
		op == opCall || op == opReturnCall ||
		op >= 0x20 && op <= 0x26 || // locals, globals, tables
		op == 0x3f || op == 0x40 || // size and growth of the memory
		op == opI32Const || op == 0x42 || op == 0xd2:
		b.skipNumber()
	case op == 0x11 || op == opReturnCallBy:
		b.skipNumber()
		b.skipNumber()
	case op == 0x0e: // a table of branches, and the one for all else
		for n := b.unsigned(); n > 0 && b.err == nil; n-- {
			b.skipNumber()
		}
		b.skipNumber()
	case op == 0x1c: // a choice that names its types
		b.bytes(b.unsigned())
	case op >= 0x28 && op <= 0x3e: // loads and stores
		if align := b.unsigned(); align >= 0x40 {
			b.fail("a second memory")
		}
		b.skipNumber()
	case op == 0x43:
		b.bytes(4)
	case op == 0x44:
		b.bytes(8)
	case op == 0xd0:
		b.byte()
	case op <= 0x01 || op == 0x05 || op == opEnd || op == 0x0f || op == opDrop || op == 0x1b ||
		op >= 0x45 && op <= 0xc4 || op == 0xd1:
	default:
		b.fail("instruction %#x", op)
	}
}

package script_test

import (
	"testing"
)

// TestWeb holds what the realm has of the web against what browsers and Node.js do.
func TestWeb(t *testing.T) {
	t.Parallel()
	for name, cases := range map[string][][2]string{
		"URL": {
			{`const u = new URL('../b?x=1#h', 'https://Example.com:443/a/c/'); return [u.href, u.origin, u.host, u.port, u.pathname, u.search, u.hash]`,
				`["https://example.com/a/b?x=1#h","https://example.com","example.com","","/a/b","?x=1","#h"]`},
			{`const u = new URL('https://a.b/c?d=e'); u.protocol = 'http'; u.hostname = 'x.y'; u.port = '81'; u.pathname = 'p q'; u.hash = 'r'; u.username = 'me'; u.password = ':'; return u.href`,
				`"http://me:%3A@x.y:81/p%20q?d=e#r"`},
			{`const u = new URL('https://a.b/?x=1'); u.searchParams.append('y', 'a b&'); u.searchParams.delete('x'); return [u.href, u.search]`,
				`["https://a.b/?y=a+b%26","?y=a+b%26"]`},
			{`const u = new URL('https://a.b/?x=1'); const p = u.searchParams; u.search = 'z=2'; const one = p.get('z'); u.href = 'https://c.d/?w=3'; return [one, p.get('w'), p === u.searchParams]`, `["2","3",true]`},
			{`const u = new URL('https://a.b/?x=1'); u.searchParams.delete('x'); return u.href`, `"https://a.b/"`},
			{`return [URL.canParse('no'), URL.canParse('/x', 'https://a.b'), URL.parse('no'), URL.parse('https://a.b').href]`, `[false,true,null,"https://a.b/"]`},
			{`try { new URL('no') } catch (e) { return [e.name, e.message] }`, `["TypeError","Invalid URL: no"]`},
			{`try { const u = new URL('https://a.b'); u.href = 'no' } catch (e) { return e.name }`, `"TypeError"`},
			{`const u = new URL('https://a.b'); u.port = 'x'; u.host = ''; u.protocol = 'mailto'; return u.href`, `"https://a.b/"`},
			{`return [new URL('blob:https://a.b/c').origin, new URL('file:///x').origin, new URL('data:x').pathname]`, `["https://a.b","null","x"]`},
			{`return [JSON.stringify({ u: new URL('https://a.b') }), String(new URL('https://a.b')), ` + "`${new URL('https://ä.de')}`" + `]`,
				`["{\"u\":\"https://a.b/\"}","https://a.b/","https://xn--4ca.de/"]`},
			{`return new URL('https://a.b/\ud800').href`, `"https://a.b/%EF%BF%BD"`},
			{`try { new URL('https://a.b/' + 'x'.repeat(100000)) } catch (e) { return e.message.length < 300 }`, `true`},
		},
		"URLSearchParams": {
			{`const p = new URLSearchParams('?a=1&b=2&a=3&&c'); return [p.getAll('a'), p.get('c'), p.get('d'), p.has('b', '2'), p.has('b', '3'), p.size, String(p)]`, `[["1","3"],"",null,true,false,4,"a=1&b=2&a=3&c="]`},
			{`return [String(new URLSearchParams({ a: 1, b: 'ä +' })), String(new URLSearchParams([['x', 'y~!'], ['x', "'()*"]]))]`, `["a=1&b=%C3%A4+%2B","x=y%7E%21&x=%27%28%29*"]`},
			{`const p = new URLSearchParams('b=1&a=2&b=0'); p.sort(); p.set('b', '9'); return [...p]`, `[["a","2"],["b","9"]]`},
			{`const p = new URLSearchParams('a=%zz&b=%C3%A4%ff&c=%e4'); return [...p.values()]`, `["%zz","ä�","�"]`},
			{`const p = new URLSearchParams(new URLSearchParams('a=1')); p.append('b', '\ud800'); const all = []; p.forEach((v, k) => all.push(k, v)); return [all, [...p.keys()]]`, `[["a","1","b","�"],["a","b"]]`},
			{`try { new URLSearchParams([['a']]) } catch (e) { return e.name }`, `"TypeError"`},
			{`const p = new URLSearchParams('a=1&a=2'); p.delete('a', '1'); return String(p)`, `"a=2"`},
		},
		"TextEncoder": {
			{`return [...new TextEncoder().encode('aä€😀')]`, `[97,195,164,226,130,172,240,159,152,128]`},
			{`return [...new TextEncoder().encode('\ud800x')]`, `[239,191,189,120]`},
			{`const a = new Uint8Array(4); return [new TextEncoder().encodeInto('a€€', a), [...a]]`, `[{"read":2,"written":4},[97,226,130,172]]`},
			{`const a = new Uint8Array(3); return [new TextEncoder().encodeInto('😀', a), [...a]]`, `[{"read":0,"written":0},[0,0,0]]`},
			{`return new TextEncoder().encode().length`, `0`},
		},
		"TextDecoder": {
			{`return new TextDecoder().decode(new Uint8Array([97, 195, 164, 226, 130, 172, 240, 159, 152, 128]))`, `"aä€😀"`},
			{`return [new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 97])), new TextDecoder('utf8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 97])).length]`, `["a",2]`},
			{`return [0x80, 0xc0, 0xff].map((b) => new TextDecoder().decode(new Uint8Array([97, b, 98])))`, `["a�b","a�b","a�b"]`},
			{`return [[0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xe0, 0x80]].map((b) => new TextDecoder().decode(new Uint8Array(b)).length)`, `[1,3,1,4,2]`},
			{`try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])) } catch (e) { return e.name }`, `"TypeError"`},
			{`const d = new TextDecoder(); const one = new Uint8Array([226]); const two = new Uint8Array([130, 172, 195]); return [d.decode(one, { stream: true }), d.decode(two, { stream: true }), d.decode()]`, `["","€","�"]`},
			{`try { new TextDecoder('latin1') } catch (e) { return e.name }`, `"RangeError"`},
			{`return new TextDecoder().decode(new DataView(new Uint8Array([96, 97, 98]).buffer, 1, 1)) + new TextDecoder().decode(new Uint8Array([99]).buffer)`, `"ac"`},
			{`const bytes = Uint8Array.from({ length: 100000 }, (_, i) => i % 256); const text = new TextDecoder().decode(bytes); return new TextDecoder().decode(new TextEncoder().encode(text)) === text`, `true`},
		},
		"structuredClone": {
			{`const a = { d: new Date(5), r: /x/gi, m: new Map([[1, { two: 2 }]]), s: new Set(['x']), u: undefined, n: null, b: 1n }; a.self = a; const c = structuredClone(a);
				return [c !== a, c.self === c, c.d.getTime(), String(c.r), c.m.get(1).two, c.s.has('x'), 'u' in c, String(c.b)]`, `[true,true,5,"/x/gi",2,true,true,"1"]`},
			{`const b = new ArrayBuffer(4); const o = { x: new Uint8Array(b, 1, 2), y: new DataView(b), z: b }; o.x[0] = 7; const c = structuredClone(o); c.x[0] = 8; return [o.x[0], c.x.length, c.x.buffer === c.z, c.y.getUint8(1)]`, `[7,2,true,8]`},
			{`const b = new ArrayBuffer(4); const c = structuredClone(b, { transfer: [b] }); return [b.byteLength, c.byteLength]`, `[0,4]`},
			{`const e = structuredClone(new RangeError('far', { cause: 'c' })); return [e instanceof RangeError, e.message, e.cause]`, `[true,"far","c"]`},
			{`return [() => 1, Symbol('s'), new WeakMap(), Promise.resolve(), { f() {} }].map((v) => { try { structuredClone(v) } catch (e) { return [e.name, e instanceof DOMException] } })`,
				`[["DataCloneError",true],["DataCloneError",true],["DataCloneError",true],["DataCloneError",true],["DataCloneError",true]]`},
			{`class A { x = 1; get y() { return 2 } } const c = structuredClone(new A()); return [c, Object.getPrototypeOf(c) === Object.prototype]`, `[{"x":1},true]`},
			{`const a = [1, , 3]; const c = structuredClone(a); return [c.length, 1 in c, structuredClone(new String('s')).valueOf()]`, `[3,false,"s"]`},
			{`const c = structuredClone(JSON.parse('{"__proto__": {"x": 1}}')); return [Object.keys(c), ({}).x === undefined]`, `[["__proto__"],true]`},
		},
		"abort": {
			{`const c = new AbortController(); const seen = []; c.signal.addEventListener('abort', () => seen.push('once'), { once: true }); c.signal.onabort = (e) => seen.push(e.type); c.abort('why'); c.abort('again'); return [seen, c.signal.aborted, c.signal.reason]`, `[["abort","once"],true,"why"]`},
			{`const s = AbortSignal.abort(); try { s.throwIfAborted() } catch (e) { return [e.name, e instanceof DOMException, e.code] }`, `["AbortError",true,20]`},
			{`const a = new AbortController(), b = new AbortController(); const s = AbortSignal.any([a.signal, b.signal]); b.abort(2); a.abort(1); return [s.aborted, s.reason, AbortSignal.any([s]).reason, AbortSignal.any([]).aborted]`, `[true,2,2,false]`},
			{`const s = AbortSignal.timeout(1); await new Promise((r) => s.addEventListener('abort', r)); return s.reason.name`, `"TimeoutError"`},
			{`try { new AbortSignal() } catch (e) { return e.name }`, `"TypeError"`},
			{`const c = new AbortController(); const seen = []; const f = () => seen.push(1); c.signal.addEventListener('abort', f); c.signal.addEventListener('abort', f); c.signal.addEventListener('abort', { handleEvent() { seen.push(2) } }); c.signal.addEventListener('abort', () => { throw new Error('x') }); c.signal.addEventListener('abort', () => seen.push(3)); c.abort(); return seen`, `[1,2,3]`},
			{`const c = new AbortController(); const seen = []; const f = () => seen.push(1); c.signal.addEventListener('abort', f); c.signal.removeEventListener('abort', f); c.abort(); return seen`, `[]`},
			{`const t = new EventTarget(); const e = new Event('x', { cancelable: true }); t.addEventListener('x', (e) => { e.preventDefault(); e.stopImmediatePropagation() }); t.addEventListener('x', () => { throw 1 }); return [t.dispatchEvent(e), e.defaultPrevented, e.target === t, Reflect.ownKeys(Event).includes('stopped')]`, `[false,true,true,false]`},
		},
		"timers": {
			{`const seen = []; await new Promise((done) => { setTimeout((...a) => { seen.push(a); done() }, 1, 'x', 2) }); return seen`, `[["x",2]]`},
			{`const id = setTimeout(() => { throw new Error('never') }, 1); clearTimeout(id); clearTimeout(id); clearTimeout(); await new Promise((r) => setTimeout(r, 5)); return typeof id`, `"number"`},
			{`try { setTimeout('code') } catch (e) { return e.name }`, `"TypeError"`},
			{`await new Promise((r) => setTimeout(r)); await new Promise((r) => setTimeout(r, -1)); await new Promise((r) => setTimeout(r, NaN)); return 1`, `1`},
			{`setTimeout(() => { throw new Error('seen in the log') }, 0); await new Promise((r) => setTimeout(r, 2)); return 1`, `1`},
		},
		"Headers": {
			{`const h = new Headers({ 'X-A': ' 1 ', b: 2 }); h.append('x-a', '3'); h.append('Set-Cookie', 'x=1'); h.append('set-cookie', 'y=2'); return [[...h], h.get('X-a'), h.has('B'), h.getSetCookie(), h.get('none')]`,
				`[[["b","2"],["set-cookie","x=1"],["set-cookie","y=2"],["x-a","1, 3"]],"1, 3",true,["x=1","y=2"],null]`},
			{`const h = new Headers([['a', '1']]); h.set('a', '2'); h.delete('A'); return [...new Headers(h).keys()]`, `[]`},
			{`return ['a b', '', 'ä'].map((n) => { try { new Headers({ [n]: '1' }) } catch (e) { return e.name } })`, `["TypeError","TypeError","TypeError"]`},
			{`try { new Headers({ a: 'secret\nX: y' }) } catch (e) { return e.message.includes('secret') }`, `false`},
			{`const seen = []; new Headers({ a: '1' }).forEach((v, n) => seen.push(n, v)); return [seen, [...new Headers({ a: '1' }).values()]]`, `[["a","1"],["1"]]`},
		},
		"Response": {
			{`const r = new Response('hä', { status: 201, headers: { a: 'b' } }); const c = r.clone(); return [await r.text(), r.bodyUsed, r.ok, r.status, r.headers.get('content-type'), [...await c.bytes()]]`, `["hä",true,true,201,"text/plain;charset=UTF-8",[104,195,164]]`},
			{`const r = Response.json({ a: [1] }); return [r.headers.get('content-type'), (await r.json()).a]`, `["application/json",[1]]`},
			{`const r = new Response(new Uint8Array([1, 2])); const b = await r.arrayBuffer(); return [b.byteLength, r.headers.get('content-type')]`, `[2,null]`},
			{`const r = new Response('x'); await r.text(); const seen = []; for (const m of ['text', 'json', 'bytes', 'arrayBuffer']) { try { await r[m]() } catch (e) { seen.push(e.name) } } try { r.clone() } catch (e) { seen.push(e.name) } return seen`, `["TypeError","TypeError","TypeError","TypeError","TypeError"]`},
			{`return [await new Response().text(), new Response().bodyUsed, new Response(null, { status: 204 }).status, Response.error().status, Response.redirect('https://a.b/c').headers.get('location')]`, `["",false,204,0,"https://a.b/c"]`},
			{`const seen = []; for (const f of [() => new Response('x', { status: 204 }), () => new Response('', { status: 99 }), () => Response.json(undefined)]) { try { f() } catch (e) { seen.push(e.name) } } return seen`, `["TypeError","RangeError","TypeError"]`},
			{`try { await new Response('{').json() } catch (e) { return e.name }`, `"SyntaxError"`},
		},
		"Request": {
			{`const r = new Request('https://a.b', { method: 'post', body: { a: 1 }, headers: { x: 'y' } }); const c = r.clone(); return [r.method, r.url, r.headers.get('content-type'), await r.json(), await c.text(), c.headers.get('x')]`, `["POST","https://a.b/","application/json",{"a":1},"{\"a\":1}","y"]`},
			{`const r = new Request(new Request('https://a.b', { method: 'PUT', body: new URLSearchParams({ a: '1' }) })); return [await r.text(), r.headers.get('content-type')]`, `["a=1","application/x-www-form-urlencoded;charset=UTF-8"]`},
			{`const r = new Request('https://a.b', { method: 'POST', body: new Uint8Array([255, 0]) }); return [[...await r.clone().bytes()], r.redirect, r.signal.aborted]`, `[[255,0],"follow",false]`},
			{`const seen = []; for (const init of [{ body: 'x' }, { method: 'TRACE' }, { method: 'a b' }, { redirect: 'x' }, { integrity: 'sha256-x' }]) { try { new Request('https://a.b', init) } catch (e) { seen.push(e.name) } } for (const u of ['/x', 'https://u:p@a.b']) { try { new Request(u) } catch (e) { seen.push(e.name) } } return seen`,
				`["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]`},
		},
		"base64": {{`return [new Uint8Array([1]).toBase64(), [...Uint8Array.fromBase64('YQ==')]]`, `["AQ==",[97]]`}},
		"ECMAScript": {
			{`return [Object.groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even'), [3, 1].toSorted(), 'a'.at(-1), Array.fromAsync !== undefined, typeof Promise.try]`, `[{"even":[2],"odd":[1,3]},[1,3],"a",true,"function"]`},
			{`return [typeof Intl, typeof performance, typeof navigator, typeof process, typeof require, typeof std, typeof os, typeof print, typeof gc, typeof __host, typeof __entry, typeof setInterval, typeof WebAssembly, typeof crypto]`,
				`["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined"]`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, one := range cases {
				returns(t, one[0], one[1])
			}
		})
	}
}

// TestConsole holds the lines of the log against what Node.js shows.
func TestConsole(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ text, want string }{
		{`console.log('a', 1, 'b')`, "log: a 1 b"},
		{`console.info({ a: 1, 'b-c': [1, 'x', null, undefined] })`, `info: { a: 1, 'b-c': [ 1, 'x', null, undefined ] }`},
		{`console.debug([], {}, -0, 1n, Symbol('s'), true)`, "debug: [] {} -0 1n Symbol(s) true"},
		{`console.warn(new Map([['k', new Set([1])]]), new Uint8Array(2))`, "warn: Map(1) { 'k' => Set(1) { 1 } } Uint8Array(2) [ 0, 0 ]"},
		{`console.error('%s is %d, %i and %f; %j %o %%', 'x', '4', '5.9', '1.5', { a: 1 }, [1], 'more')`, `error: x is 4, 5 and 1.5; {"a":1} [ 1 ] % more`},
		{`console.log('%s')`, "log: %s"},
		{`const a = { n: 1 }; a.self = a; console.log(a)`, "log: <ref *1> { n: 1, self: [Circular *1] }"},
		{`console.log({ a: { b: { c: { d: 1 } } } })`, "log: { a: { b: { c: [Object] } } }"},
		{`console.log({ get x() { throw 1 }, set y(v) {}, get z() { return 1 }, set z(v) {} })`, "log: { x: [Getter], y: [Setter], z: [Getter/Setter] }"},
		{`class A { x = 1 } console.log(new A(), A, () => 1, function f() {}, Object.create(null))`, "log: A { x: 1 } [class A] [Function (anonymous)] [Function: f] [Object: null prototype] {}"},
		{`console.log(new Date(0), new Date(NaN), /x/g, Promise.resolve(1), new ArrayBuffer(3), new String('s'))`, "log: 1970-01-01T00:00:00.000Z Invalid Date /x/g Promise {} ArrayBuffer { byteLength: 3 } [String: 's']"},
		{`console.log([1, , 3], ["it's", '"', "a'b\"c"])`, "log: [ 1, <1 empty item>, 3 ] [ \"it's\", '\"', `a'b\"c` ]"},
		{`const e = new RangeError('far'); e.stack = ''; console.log(e)`, "log: [RangeError: far]"},
		{`console.log({ [Symbol('k')]: 1 }, Object.assign([1], { k: 2 }))`, "log: { [Symbol(k)]: 1 } [ 1, k: 2 ]"},
		{`console.log(new Proxy({ a: 1 }, { ownKeys() { throw new Error('x') } }))`, "log: [Object that cannot be shown]"},
		{`console.log()`, "log: "},
		{`console.log(undefined, null, NaN)`, "log: undefined null NaN"},
		{`console.log('%c%s', 'color: red', 1n)`, "log: 1n"},
	} {
		got, err := call(t, one.text)
		if err != nil || len(got.Log) != 1 {
			t.Errorf("%s\ngave %v, %v", one.text, got.Log, err)
			continue
		}
		if line := got.Log[0].Level + ": " + got.Log[0].Line; line != one.want {
			t.Errorf("%s\nwrote %q\n want %q", one.text, line, one.want)
		}
	}
}

import { describe, expect, test } from 'vitest'
import { MAX_DEPTH, MAX_NODES } from '#replay/viewer/sanitize/sanitize-nodes'
import { nothingLeftOut, sanitizeStyles } from '#replay/viewer/sanitize/sanitize-styles'
import { createSanitizer } from '#replay/viewer/sanitize/sanitizer'
import { createRecording, MAX_JSON_CHARS } from '#replay/viewer/stage/recording'
import {
  change,
  element,
  move,
  page,
  snapshot,
  type TestNode,
  text,
} from '#test/browser/replay/viewer/events'

describe('style sheets', () => {
  test.each([
    ['a{color:red}', 'a{color:red}'],
    ['a{color:rgb(1 2 3);width:calc(1px + 2%)}', 'a{color:rgb(1 2 3);width:calc(1px + 2%)}'],
    ['a::before{content:"\\f101"}', 'a::before{content:"\\f101"}'],
    ['.md\\:flex{--x:"a(b"}', '.md\\:flex{--x:"a(b"}'],
    ['a{fill:url(#grad)}', 'a{fill:url("#grad")}'],
    ['a{background:url(data:image/png;base64,AA==)}', 'a{background:url("data:image/png;base64,AA==")}'],
    ['a{b:url(x.png) c}', 'a{b:url("data:,") c}'],
    ['a{b:url("x.png" ) c}', 'a{b:url("data:,") c}'],
    ["a{b:U\\52 L('x.png')}", 'a{b:url("data:,")}'],
    ['a{b:url(data:text/html,x)}', 'a{b:url("data:,")}'],
    ['a{b:url(x.png', 'a{b:url("data:,")'],
    ['a{b:image-set("x.png" 1x, url(y) 2x)}c{}', 'a{b:none}c{}'],
    ['@import url(x.css) screen;a{}', ' a{}'],
    ['@\\000069mport "x.css";a{}', ' a{}'],
    ['@import "a;b";a{}', ' a{}'],
    ['@import url(a;b)a{}', ' '],
    ['@font-face{src:url(x)}a{}', ' a{}'],
    ['@media print{@import "x";a{}}', '@media print{ a{}}'],
    ['a{}/* rr_split */b{c:f(1)}', 'a{}/* rr_split */b{c:f(1)}'],
    ['a{}/* url(x) */b{}', 'a{} b{}'],
    ['"url(x)" url(x)', '"url(x)" url("data:,")'],
    ['"unclosed\nurl(x)', '"unclosed\nurl("data:,")'],
    ['@"x" url(y)', '@"x" url("data:,")'],
    ['\\\nurl(x)', '\\\nurl("data:,")'],
    ['×url(x)', 'url("data:,")'],
    ['curl(x)', 'curl(x)'],
  ])('%j becomes %j, and that stays', (css, clean) => {
    expect(sanitizeStyles(css)).toBe(clean)
    expect(sanitizeStyles(clean)).toBe(clean)
  })

  test('what is left out is counted', () => {
    const leftOut = nothingLeftOut()
    sanitizeStyles(
      '@font-face{src:url(a)}a{b:url(c),image-set("d"),url(#e),url(data:image/gif;base64,A)}',
      leftOut,
    )
    expect(leftOut).toEqual({ images: 2, fonts: 1 })
  })
})

describe('events', () => {
  const at = 1_000
  const started = (body: TestNode[] = []) => {
    const sanitizer = createSanitizer()
    const [, full] = snapshot(at, page([], body))
    sanitizer.sanitize(full)
    return sanitizer
  }
  const built = (full: unknown) => (createSanitizer().sanitize(full)!.data as { node: unknown }).node
  const count = (node: unknown): number =>
    1 +
    (((node as TestNode).childNodes as TestNode[] | undefined) ?? []).reduce(
      (sum, child) => sum + count(child),
      0,
    )

  test('elements that lie too deep, and too many of them, are left out', () => {
    let deep = element(10, 'p')
    for (let level = 11; level < 10 + 2 * MAX_DEPTH; level++) deep = element(level, 'div', {}, [deep])
    const [, full] = snapshot(at, page([], [deep]))
    const depth = count(built(full))
    expect(depth).toBeGreaterThan(MAX_DEPTH - 5)
    expect(depth).toBeLessThan(MAX_DEPTH + 5)
    const wide = Array.from({ length: MAX_NODES + 1_000 }, (_, i) => element(10 + i, 'i'))
    const [, large] = snapshot(at, page([], wide))
    expect(count(built(large))).toBe(MAX_NODES)
  })

  test('changes cannot nest elements deeper, or put one below itself', () => {
    const sanitizer = started()
    const add = (parentId: number, id: number) =>
      sanitizer.sanitize(change(at, { adds: [{ parentId, nextId: null, node: element(id, 'div') }] }))?.data
        .adds as unknown[]
    for (let level = 0; level < MAX_DEPTH - 10; level++)
      expect(add(level === 0 ? 5 : 99 + level, 100 + level)).toHaveLength(1)
    for (let level = MAX_DEPTH - 10; level < MAX_DEPTH; level++) add(99 + level, 100 + level)
    expect(add(99 + MAX_DEPTH, 5_000)).toEqual([])
    expect(add(102, 100)).toEqual([])
  })

  test('a text that was shown never becomes a style sheet', () => {
    const css = 'a{b:url(//evil.test)}'
    const sanitizer = started([
      element(20, 'p', {}, [text(21, 'shown')]),
      element(22, 'style', {}, [text(23, '')]),
    ])
    const of = (data: Record<string, unknown>) => JSON.stringify(sanitizer.sanitize(change(at, data))?.data)
    expect(of({ texts: [{ id: 21, value: css }] })).toContain('evil')
    expect(of({ adds: [{ parentId: 22, nextId: null, node: text(21, 'shown') }] })).toContain('"adds":[]')
    expect(of({ texts: [{ id: 23, value: css }] })).not.toContain('evil')
    expect(of({ adds: [{ parentId: 20, previousId: -1, nextId: -1, node: text(24, 'x') }] })).not.toContain(
      '-1',
    )
    expect(
      of({
        adds: [
          { parentId: 30, nextId: null, node: text(31, css) },
          { parentId: 5, nextId: null, node: element(30, 'style') },
        ],
      }),
    ).not.toContain('evil')
  })

  test('a style sheet whose rules come later is not missing any more', () => {
    const sanitizer = started([element(20, 'link', { rel: 'stylesheet', href: '/a.css' })])
    expect(sanitizer.countLeftOut().sheets).toBe(1)
    const late = sanitizer.sanitize(
      change(at, { attributes: [{ id: 20, attributes: { _cssText: 'a{b:url(c)}' } }] }),
    )
    expect(late?.data.attributes).toEqual([{ id: 20, attributes: { _cssText: 'a{b:url("data:,")}' } }])
    expect(sanitizer.countLeftOut().sheets).toBe(0)
  })

  test('a route of a single-page application is a page of the replay, without a snapshot', () => {
    const route = {
      type: 4,
      timestamp: at + 5,
      data: { href: 'https://shop.test/cart', width: 8, height: 6 },
    }
    const events = [...snapshot(at, page([], [])), route, move(at + 5, 1, 1), move(at + 9, 1, 1)]
    expect(createRecording().add(JSON.stringify(events)).marks).toEqual([
      { kind: 'page', at, address: 'https://shop.test/start' },
      { kind: 'page', at: at + 5, address: 'https://shop.test/cart' },
    ])
  })

  test('more text than the viewer plays is not read', () => {
    const recording = createRecording()
    expect(recording.add(JSON.stringify(snapshot(at, page([], [])))).events).toHaveLength(2)
    const { events, isFull } = recording.add(' '.repeat(MAX_JSON_CHARS))
    expect([events, isFull]).toEqual([[], true])
  })

  test.each(['', 'null', '{}', '[', '[null,1,"x",{}]', '[{"type":2,"timestamp":1}]'])(
    'a chunk of %j adds nothing',
    json => {
      expect(createRecording().add(json)).toMatchObject({ events: [], marks: [], isFull: false })
    },
  )
})

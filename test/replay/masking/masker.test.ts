import { expect, test } from 'vitest'
import { EventType, type RecordedEvent, type SnapshotNode, Source } from '#replay/masking/events'
import { createMasker, type MaskerOptions } from '#replay/masking/masker'
import { MASK } from '#replay/masking/patterns'

const text = (id: number, textContent: string): SnapshotNode => ({ id, type: 3, textContent })
const element = (id: number, tagName: string, childNodes: SnapshotNode[] = [], attributes = {}) => ({
  id,
  type: 2,
  tagName,
  attributes,
  childNodes,
})
const snapshot = (...childNodes: SnapshotNode[]): RecordedEvent => ({
  type: EventType.FullSnapshot,
  timestamp: 1,
  data: { node: { id: 1, type: 0, childNodes }, initialOffset: { left: 0, top: 0 } },
})
const change = (data: Record<string, unknown>): RecordedEvent => ({
  type: EventType.Incremental,
  timestamp: 2,
  data: { source: Source.Mutation, texts: [], attributes: [], removes: [], adds: [], ...data },
})

function openMasker(options: Partial<MaskerOptions> = {}, ...nodes: SnapshotNode[]) {
  const mask = createMasker({ preset: 'inputs', ...options })
  const first = mask(snapshot(...nodes))
  return { mask, first: JSON.stringify(first) }
}

test('an event, a source, a field and a node that the masker does not know do not leave the page', () => {
  const { mask, first } = openMasker({}, { ...text(2, 'shown'), secret: 'Ada' } as SnapshotNode, {
    id: 3,
    type: 9,
    textContent: 'Ada',
  })
  expect(first).toContain('shown')
  expect(first).not.toContain('Ada')
  for (const type of [5, 6, 7, 99])
    expect(mask({ type, timestamp: 1, data: { plugin: 'Ada', payload: 'Ada' } })).toBeNull()
  for (const source of [7, 9, 10, 11, 14, 99]) expect(mask(change({ source, text: 'Ada' }))).toBeNull()
  expect(
    JSON.stringify([
      mask(change({ note: 'Ada', removes: [{ id: 2, note: 'Ada' }] })),
      mask({ type: EventType.Load, timestamp: 1, data: { note: 'Ada' } }),
      mask(change({ source: Source.MouseMove, positions: [{ x: 1, y: 2, id: 3, note: 'Ada' }] })),
      mask(change({ source: Source.Scroll, id: 1, x: 0, y: 5, note: 'Ada' })),
    ]),
  ).not.toContain('Ada')
})

test('short texts that look like a secret together are masked, but not when the page says that they begin a long element', () => {
  const paragraphs = ['bold', '411', '922', '333', '444'].map((each, at) =>
    element(10 + at, 'p', [text(30 + at, each)]),
  )
  const body = element(2, 'main', paragraphs)
  expect(openMasker({}, body).first).not.toContain('bold')
  expect(openMasker({ isLong: id => id < 10 }, body).first).toContain('bold')
  const inParts = ['4111', '2222', '3333', '4444'].map((each, at) => text(50 + at, each))
  const { first } = openMasker({ isLong: id => id < 10 }, element(3, 'main', [element(20, 'p', inParts)]))
  expect(first).not.toMatch(/4111|2222|3333|4444/)
})

test('a text of a node that was never recorded is masked', () => {
  const { mask } = openMasker({}, text(2, 'shown'))
  const event = mask(
    change({
      texts: [
        { id: 2, value: 'new' },
        { id: 7, value: 'Ada' },
        { id: 2, value: null },
      ],
      adds: [{ parentId: 8, nextId: null, node: text(9, 'Ada') }],
    }),
  )
  expect(event!.data).toMatchObject({
    texts: [
      { id: 2, value: 'new' },
      { id: 7, value: MASK },
      { id: 2, value: null },
    ],
    adds: [{ parentId: 8, nextId: null, node: { textContent: MASK } }],
  })
})

test('what is below a masked element stays masked when it changes, moves or is added', () => {
  const { mask, first } = openMasker({}, element(2, 'div', [text(3, 'Ada')], { 'data-aa-mask': '' }))
  expect(first).not.toContain('Ada')
  const event = mask(
    change({
      texts: [{ id: 3, value: 'Ada' }],
      adds: [{ parentId: 2, nextId: null, node: element(4, 'p', [text(5, 'Ada')]) }],
    }),
  )
  expect(JSON.stringify(event)).not.toContain('Ada')
})

test('a page with more nodes than are remembered is masked from then on', () => {
  const many = Array.from({ length: 5001 }, (_, at) =>
    element(
      at * 100 + 2,
      'p',
      Array.from({ length: 99 }, (_, child) => text(at * 100 + 3 + child, 'x')),
    ),
  )
  const { mask } = openMasker({}, ...many)
  const event = mask(
    change({
      texts: [
        { id: 3, value: 'early' },
        { id: 500_090, value: 'late' },
      ],
    }),
  )
  expect(event!.data.texts).toEqual([
    { id: 3, value: 'early' },
    { id: 500_090, value: MASK },
  ])
})

test('changes of styles keep what they set, and lose addresses and secrets', () => {
  const { mask } = openMasker({}, element(2, 'p'))
  const masked = [
    mask(
      change({
        attributes: [
          {
            id: 2,
            attributes: {
              style: { color: 'red', width: false, background: ['url(/a.png?u=ada)', 'important'] },
            },
          },
        ],
      }),
    ),
    mask(
      change({
        source: Source.StyleSheetRule,
        id: 2,
        adds: [{ rule: 'p::after{content:"ada@example.org"}', index: 0 }],
      }),
    ),
    mask(
      change({
        source: Source.StyleDeclaration,
        id: 2,
        index: [0],
        set: { property: 'background', value: 'url(/a.png?u=ada)' },
      }),
    ),
    mask(
      change({
        source: Source.AdoptedStyleSheet,
        id: 2,
        styleIds: [1],
        styles: [{ styleId: 1, rules: [{ rule: 'p{color:red}/* ada */', index: 0 }] }],
      }),
    ),
  ].map(event => event!.data)
  expect(masked).toMatchObject([
    {
      attributes: [
        {
          attributes: {
            style: { color: 'red', width: false, background: ['url("/a.png?u=")', 'important'] },
          },
        },
      ],
    },
    { adds: [{ rule: `p::after{content:"${MASK}"}`, index: 0 }] },
    { set: { property: 'background', value: 'url("/a.png?u=")' } },
    { styleIds: [1], styles: [{ styleId: 1, rules: [{ rule: 'p{color:red}', index: 0 }] }] },
  ])
})

test('a word that the user typed is masked where it is shown, and names of classes and rules stay', () => {
  const { mask } = openMasker({}, element(2, 'input', [], { value: 'shoes' }))
  const event = mask(
    change({
      adds: [
        {
          parentId: 1,
          nextId: null,
          node: element(3, 'p', [text(4, 'Shoes for you')], {
            class: 'shoes',
            id: 'shoes',
            title: 'shoes',
            rel: 'shoes',
          }),
        },
        {
          parentId: 1,
          nextId: null,
          node: element(5, 'style', [text(6, '.shoes::after{content:"shoes"}')]),
        },
      ],
    }),
  )
  const [shown, style] = (event!.data.adds as { node: SnapshotNode }[]).map(({ node }) => node)
  expect(shown).toMatchObject({
    attributes: { class: 'shoes', id: 'shoes', title: MASK, rel: MASK },
    childNodes: [{ textContent: `${MASK} for you` }],
  })
  expect(style).toMatchObject({ childNodes: [{ textContent: `.shoes::after{content:"${MASK}"}` }] })
})

test('what a field holds is masked where the page shows it, also before the field', () => {
  const { mask, first } = openMasker(
    {},
    element(2, 'p', [text(3, 'Hello Ada Lovelace')]),
    element(4, 'input', [], { value: 'Ada Lovelace' }),
  )
  expect(first).toContain(`Hello ${MASK}`)
  const event = mask(
    change({
      adds: [
        {
          parentId: 1,
          nextId: null,
          node: element(5, 'form', [
            element(6, 'p', [text(7, 'Grace Hopper')]),
            element(8, 'textarea', [], { value: 'Grace Hopper' }),
          ]),
        },
      ],
    }),
  )
  expect(JSON.stringify(event)).not.toContain('Grace')
})

test('a checkbox keeps its state and loses its value', () => {
  const { mask } = openMasker({}, element(2, 'input', [], { type: 'checkbox', value: 'vegan' }))
  expect(mask(change({ source: Source.Input, id: 2, text: 'vegan', isChecked: true }))!.data).toEqual({
    source: Source.Input,
    id: 2,
    text: MASK,
    isChecked: true,
  })
})

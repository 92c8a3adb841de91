import { expect, test } from 'vitest'
import { EventType, type SnapshotNode } from '#replay/masking/events'
import { createMasker } from '#replay/masking/masker'
import { MASK } from '#replay/masking/patterns'
import { SPREAD_NODES } from '#replay/masking/spread'
import { createCorpus } from '#test/browser/replay/corpus'
import { ordinaryTexts } from './ordinary-texts.ts'

/** Returns what leaves the page of an element whose children show the texts, without blanks between them. */
function record(tagName: string, texts: readonly string[]): string[] {
  const children = texts.map(
    (textContent, at): SnapshotNode => ({
      id: 10 + at,
      type: 2,
      tagName,
      childNodes: [{ id: 1_000 + at, type: 3, textContent }],
    }),
  )
  const node = { id: 1, type: 0, childNodes: [{ id: 2, type: 2, tagName: 'div', childNodes: children }] }
  const mask = createMasker({ preset: 'inputs' })
  const event = mask({ type: EventType.FullSnapshot, timestamp: 1, data: { node, initialOffset: {} } })
  const [parent] = (event!.data.node as SnapshotNode).childNodes!
  return parent!.childNodes!.map(child => child.childNodes![0]!.textContent!)
}

test('200 menus, heads, prices and product lists in ten languages stay as they are', () => {
  expect(ordinaryTexts).toHaveLength(200)
  const masked = ordinaryTexts.flatMap(({ language, texts }) => {
    const shown = record('a', texts)
    return shown.join() === texts.join() ? [] : [`${language}: ${texts.join(' | ')} → ${shown.join(' | ')}`]
  })
  expect(masked).toEqual([])
})

test.each([
  // Languages, goods and signs that the corpus does not have.
  ['Thai', ['เสื้อผ้าแฟชั่นลดราคาสูงสุด50เปอร์เซ็นต์', 'ตะกร้า']],
  ['Vietnamese', ['Căn hộ 3 phòng ngủ', '12.990.000.000 ₫', 'Còn hàng']],
  ['Turkish', ['Sepette %40 indirim', 'Kadın', 'Erkek', 'Çocuk', '24.12.2026-06.01.2027']],
  ['Korean', ['2026년겨울신상품최대50퍼센트할인행사', '₩1 299 000']],
  ['accounts', ['Follow us', '@northwind', 'www.northwind.example', 'Imprint']],
  ['a footer with an address', ['Kontakt', 'Impressum', 'AGB', 'Versand 4,90', 'Presse']],
  ['years', ['2026', '2025', '2024', '2023', 'Archive']],
  ['bands and ratios', ['AC/DC', '#1 Hits', 'Men/Women', '24/7', '#sale']],
])('%s stays', (_, texts) => {
  expect(record('a', texts)).toEqual(texts)
})

/** Secrets that are found by their form. The browser tests show all 25 kinds. */
const BY_FORM = /^(e-mail|card|card in parts|phone|IBAN|token)$/
const secrets = createCorpus().filter(({ kind }) => BY_FORM.test(kind))
const cutAfter = (text: string, chars: number) => text.match(new RegExp(`[^]{1,${chars}}`, 'g'))!

test('each of 48 secrets is masked in one text, and in spans of two, four and eight characters', () => {
  expect(secrets).toHaveLength(48)
  const shown = secrets.flatMap(({ text }) =>
    [text.length, 2, 4, 8].flatMap(chars => {
      const parts = cutAfter(text, chars)
      // With more elements they are not read together (SPREAD_NODES).
      if (parts.length * 2 > SPREAD_NODES) return []
      const left = record('span', parts).join('')
      // Signs before a number of a phone say nothing.
      return /^[+(•\s]*$/u.test(left) ? [] : [`${text} in ${chars}: ${left}`]
    }),
  )
  expect(shown).toEqual([])
})

test('a number of a card is masked in elements of any kind', () => {
  for (const tag of ['a', 'li', 'td', 'p', 'div'])
    expect(record(tag, ['4111', '1111', '1111', '1111'])).toEqual([MASK, MASK, MASK, MASK])
})

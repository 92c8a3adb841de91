import { describe, expect, test } from 'vitest'
import { maskAddress, maskSourceSet } from '#replay/masking/addresses'
import { maskAttribute } from '#replay/masking/attributes'
import { MASK } from '#replay/masking/patterns'
import { maskStyles } from '#replay/masking/styles'
import { createTypedValues } from '#replay/masking/typed-values'

const TOKEN = '9f86d081884c7d659a2feaa0c55ad015'

describe('an address', () => {
  test.each([
    ['https://ada:pw@shop.test:8443/a?card=42&x=1#part', 'https://shop.test:8443/a?card=&x='],
    [`https://shop.test/reset/${TOKEN}`, `https://shop.test/reset/${MASK}`],
    ['https://shop.test/u/ada%40example.org', `https://shop.test/u/${MASK}`],
    ['/search?abcdef', '/search'],
    ['/search?4111111111111111=1', '/search'],
    ['mailto:ada@example.org', `mailto:${MASK}`],
    ['tel:+4930123', `tel:${MASK}`],
    ['javascript:alert(1)', `javascript:${MASK}`],
    ['blob:https://shop.test/1f0a', `blob:${MASK}`],
    ['#reviews', '#reviews'],
    ['//cdn.test/a', '//cdn.test/a'],
  ])('%j of a page becomes %j', (address, masked) => {
    expect(maskAddress(address, false)).toBe(masked)
  })

  test('of an asset keeps the name of its file and of a symbol', () => {
    expect(maskAddress(`https://cdn.test/app.${TOKEN}.css?v=1`, true)).toBe(
      `https://cdn.test/app.${TOKEN}.css?v=`,
    )
    expect(maskAddress('/icons.svg#cart', true)).toBe('/icons.svg#cart')
  })

  test('with data stays only for pixels, fonts and drawings without texts', () => {
    expect(maskAddress('data:image/png;base64,iVBORw0KGgo=', true)).toBe('data:image/png;base64,iVBORw0KGgo=')
    const path = `data:image/svg+xml,${encodeURIComponent('<svg><path d="M0 0"/></svg>')}`
    expect(maskAddress(path, true)).toBe(path)
    for (const address of [
      `data:image/svg+xml;base64,${btoa('<svg><text>Ada</text></svg>')}`,
      'data:image/svg+xml,%zz',
      'data:text/html,Ada',
    ])
      expect(maskAddress(address, true)).toBe('data:,')
  })

  test('is cleaned in each source of a set', () => {
    expect(maskSourceSet('/a.png?u=ada 1x, /b.png?u=ada 640w')).toBe('/a.png?u= 1x, /b.png?u= 640w')
  })
})

describe('an attribute', () => {
  test.each([
    ['input', 'value', 'Ada', MASK],
    ['input', 'value', '', ''],
    ['', 'placeholder', 'Your name', MASK],
    ['div', 'data-state', 'open', 'open'],
    ['div', 'data-v-7ba5bd90', '', ''],
    ['div', 'data-user', 'Ada', MASK],
    ['user-card', 'owner', 'Ada', MASK],
    ['user-card', 'class', 'wide', 'wide'],
    ['a', 'href', '/a?b=c', '/a?b='],
    ['', 'href', `/reset/${TOKEN}`, `/reset/${MASK}`],
    ['link', 'href', `/${TOKEN}.css`, `/${TOKEN}.css`],
    ['path', 'd', 'M 1000 2000 L 3000 4000', 'M 1000 2000 L 3000 4000'],
    ['path', 'd', 'ada@example.org', MASK],
    ['div', 'lang', 'ada@example.org', MASK],
    ['div', 'ada-4111111111111111', 'x', undefined],
    ['div', 'class', 'wide', 'wide'],
    ['div', 'style', 'background: url(/a.png?u=ada)', 'background: url("/a.png?u=")'],
    ['div', 'odd', 'ada@example.org', MASK],
  ])('of <%s> %s=%j becomes %j', (tag, name, value, masked) => {
    expect(maskAttribute(tag, name, value, false)).toBe(masked)
  })

  test('that is only there stays', () => {
    expect(maskAttribute('input', 'checked', true, false)).toBe(true)
  })

  test.each(['onclick', 'srcdoc', 'nonce', 'integrity', 'rr_dataURL'])('%s is not recorded', name => {
    expect(maskAttribute('div', name, 'x', false)).toBeUndefined()
  })

  test('with an unknown name is masked when no text may be read', () => {
    expect(maskAttribute('div', 'odd', 'Ada', true)).toBe(MASK)
    expect(maskAttribute('div', 'odd', '12', true)).toBe('12')
  })
})

describe('a style sheet', () => {
  test('loses addresses, imports, comments and secrets in quotes, and keeps its rules', () => {
    expect(
      maskStyles(
        `@import url("/x.css?u=ada"); /* for ada@example.org */ .a1b2c3d4e5f6g7h8i9::after{content:"ada@example.org";width:1234567px} b{background:url('/i.png?u=ada#x')}`,
        false,
      ),
    ).toBe(`  .a1b2c3d4e5f6g7h8i9::after{content:"${MASK}";width:1234567px} b{background:url("/i.png?u=#x")}`)
  })

  test('keeps fonts and icons, and loses words of `content`, when no text may be read', () => {
    expect(maskStyles(`b{font-family:"Open Sans";content:"\\e900"} i::before{content:"Ada"}`, true)).toBe(
      `b{font-family:"Open Sans";content:"\\e900"} i::before{content:"${MASK}"}`,
    )
  })
})

describe('a typed value', () => {
  test('is found where the page shows it, also in an address, and a short one is not looked for', () => {
    const typed = createTypedValues()
    typed.note(1, 'Ada Lovelace')
    typed.note(2, 'abc')
    expect([typed.redactShown(' ABC '), typed.redactShown('abc def')]).toEqual([MASK, 'abc def'])
    expect(typed.redact('Hello Ada Lovelace, abc; /u?n=Ada%20Lovelace&m=Ada+Lovelace')).toBe(
      `Hello ${MASK}, abc; /u?n=${MASK}&m=${MASK}`,
    )
  })

  test('is found in capital letters, and each of its lines alone', () => {
    const typed = createTypedValues()
    typed.note(1, 'Dear Ada,\n\nsee you (soon) + later\nabc')
    expect(typed.redact('DEAR ADA, | See You (Soon) + Later | abc')).toBe(`${MASK} | ${MASK} | abc`)
    typed.note(1, `${'long text '.repeat(300)}end`)
    expect(typed.redact(`${'long text '.repeat(300)}`)).not.toContain('long')
  })

  test('of 100 fields is remembered, and three of each field', () => {
    const typed = createTypedValues()
    for (let field = 0; field <= 100; field++) typed.note(field, `value${String(field).padStart(3, '0')}`)
    expect([typed.redact('value000'), typed.redact('value001')]).toEqual(['value000', MASK])
    for (const value of ['first1', 'second2', 'third3', 'third3', 'third3x', 'fourth4'])
      typed.note(500, value)
    expect([typed.redact('first1'), typed.redact('second2'), typed.redact('third3')]).toEqual([
      'first1',
      MASK,
      'third3',
    ])
  })
})

import { describe, expect, test } from 'vitest'
import { decodeHtml } from '#scanner/fetch/decode-html'

const text = (html: string, encoding: BufferEncoding) => Buffer.from(html, encoding)

describe('a page is decoded by', () => {
  test.each([
    ['the header', 'text/html; charset=ISO-8859-1', text('Prix: café', 'latin1'), 'Prix: café'],
    ['the header, in quotes', 'text/html; charset="iso-8859-1"', text('café', 'latin1'), 'café'],
    [
      'the header, not by what the page says',
      'text/html; charset=utf-8',
      text('<meta charset=latin1>é', 'utf8'),
      '<meta charset=latin1>é',
    ],
    [
      'what the page says',
      'text/html',
      text('<meta charset="windows-1252">50 €'.replace('€', '\x80'), 'latin1'),
      '<meta charset="windows-1252">50 €',
    ],
    [
      'the older form of it',
      'text/html',
      text('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">\xb1', 'latin1'),
      '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">ą',
    ],
    [
      'the XML declaration',
      '',
      text('<?xml version="1.0" encoding="iso-8859-1"?>é', 'latin1'),
      '<?xml version="1.0" encoding="iso-8859-1"?>é',
    ],
    [
      'its byte order mark, whatever else is said',
      'text/html; charset=latin1',
      Buffer.concat([Buffer.from([0xff, 0xfe]), text('día', 'utf16le')]),
      'día',
    ],
    ['UTF-8 when nothing is said', 'text/html', text('Größe 日本', 'utf8'), 'Größe 日本'],
    [
      'windows-1252 when nothing is said and it is no UTF-8',
      'text/html',
      text('Gr\xf6\xdfe \x96', 'latin1'),
      'Größe –',
    ],
    ['UTF-8 when the page was cut within a character', '', text('日本', 'utf8').subarray(0, 5), '日'],
    ['the rest, when the name is unknown', 'text/html; charset=klingon', text('Größe', 'utf8'), 'Größe'],
    [
      'UTF-8 when the page calls itself UTF-16 in ASCII',
      '',
      text('<meta charset=utf-16>é', 'utf8'),
      '<meta charset=utf-16>é',
    ],
  ])('%s', (_, contentType, body, expected) => {
    expect(decodeHtml(body, contentType)).toBe(expected)
  })

  test.each([
    ['shift_jis', '93fa967b', '日本'],
    ['euc-jp', 'c6fccbdc', '日本'],
    ['gb18030', 'c8d5b1be', '日本'],
    ['euc-kr', 'c7d1b1db', '한글'],
    ['big5', 'a4e9a5bb', '日本'],
    ['koi8-r', 'f0d2c9d7c5d4', 'Привет'],
  ])('the charset %s', (charset, hex, expected) => {
    expect(decodeHtml(Buffer.from(hex, 'hex'), `text/html;charset=${charset}`)).toBe(expected)
  })
})

test('bytes that are not of the charset become replacement characters', () => {
  expect(decodeHtml(Buffer.from([0x41, 0xff, 0x42]), 'text/html; charset=utf-8')).toBe('A\ufffdB')
})

test('5 MB of tags without an end are decoded whole', () => {
  const body = Buffer.alloc(5_000_000, '<meta ')
  expect(decodeHtml(body, '').length).toBe(5_000_000)
})

// With a step for each pair of blanks, this would take longer than the timeout of a test.
test('a header with a million blanks is read', () => {
  const blanks = ' '.repeat(1_000_000)
  expect(decodeHtml(text('café!', 'latin1'), `text/html; charset=${blanks};`)).toBe('café!')
  expect(decodeHtml(text('ą', 'utf8'), `text/html; charset=${blanks}'${blanks}utf-8`)).toBe('ą')
})

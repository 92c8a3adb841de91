import { expect, test } from 'vitest'
import { languageOf, languageOfTag, languageOfText } from '#scanner/read/languages'

const GERMAN =
  'Dienstleistungen A–Z. Schreiben Sie uns eine E-Mail oder kommen Sie in Zimmer 4 a. Das Rathaus ist am Montag von acht bis zwölf Uhr offen, und das Bürgerbüro hat auch am Samstag geöffnet.'

test('a German page with A–Z, E-Mail and 4 a is German', () => {
  expect(languageOf(GERMAN, 'de')).toBe('de')
  expect(languageOfText(GERMAN)).toBe('de')
})

test('the text decides against the tag of a template', () => {
  expect(languageOf(GERMAN, 'en')).toBe('de')
})

test('the tag decides where the text is short, and between languages that are too close', () => {
  expect(languageOf('Menu', 'sl-SI')).toBe('sl')
  const indonesian =
    'Pasien mengambil nomor dari rumah dan datang tepat waktu. Aplikasi ini bekerja di komputer lama sekalipun, dan Anda dapat mencobanya selama tiga puluh hari tanpa biaya.'
  expect(languageOf(indonesian, 'id')).toBe('id')
  expect(languageOf('', undefined)).toBeNull()
})

test.each([
  ['nb-NO', 'no'],
  ['de-AT', 'de'],
  ['iw', 'he'],
  ['German', null],
])('the tag %s is %s', (tag, code) => {
  expect(languageOfTag(tag)).toBe(code)
})

test.each([
  ['ko', '한줄메모는 매일 저녁 한 줄만 쓰면 되는 일기 앱입니다.'],
  ['th', 'เกมนี้ช่วยให้เด็กเรียนรู้คำภาษาไทยโดยการจับคู่ภาพกับคำ'],
  ['ka', 'ჩვენ ვყიდით თაფლს მთის სოფლებიდან და ვაგზავნით მთელ ქვეყანაში.'],
])('short texts of a script of their own are %s', (code, text) => {
  expect(languageOfText(text)).toBe(code)
})

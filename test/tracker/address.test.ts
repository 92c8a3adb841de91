import { expect, test } from 'vitest'
import { cleanAddress, redactEmails } from '../../tracker/address.ts'

test.each([
  ['https://user:pw@shop.test:8443/a/b?card=1#secret', 'https://shop.test:8443/a/b'],
  ['http://shop.test', 'http://shop.test/'],
  ['https://shop.test/people/ada@example.org/orders', 'https://shop.test/people/[redacted]/orders'],
  ['https://shop.test/people/ada%40example.org', 'https://shop.test/people/[redacted]'],
  ['android-app://com.example', ''],
  ['file:///home/ada/page.html', ''],
  ['data:text/html,hello', ''],
  ['', ''],
  ['not an address', ''],
])('the address %j is cleaned to %j', (address, sent) => {
  expect(cleanAddress(address)).toBe(sent)
})

test('e-mail addresses in a title are redacted, and other words with an @ stay', () => {
  expect(redactEmails('Inbox (3) – Ada.Lovelace+x@mail.example.org – Mail')).toBe(
    'Inbox (3) – [redacted] – Mail',
  )
  expect(redactEmails('@ada on vue@3.5.1, 5 @ 3')).toBe('@ada on vue@3.5.1, 5 @ 3')
})

test('a long text is cut before it is searched', () => {
  expect(redactEmails('%40'.repeat(200_000))).toBe('%40'.repeat(200_000).slice(0, 4096))
})

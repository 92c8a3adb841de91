import { expect, test } from 'vitest'
import { cleanAddress, redactEmails, redactError } from '#tracker/address'

test.each([
  ['https://user:pw@shop.test:8443/a/b?card=1#secret', 'https://shop.test:8443/a/b'],
  ['http://shop.test', 'http://shop.test/'],
  ['https://shop.test/people/ada@example.org/orders', 'https://shop.test/people/[redacted]/orders'],
  ['https://shop.test/people/ada%40example.org', 'https://shop.test/people/[redacted]'],
  ['android-app://com.example', ''],
  ['file:///home/ada/page.html', ''],
  ['data:text/html,hello', ''],
  ['blob:https://shop.test/1f0a', ''],
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

test.each([
  ['Failed: https://shop.test/a/b?card=42&x=1', 'Failed: https://shop.test/a/b[redacted]'],
  ['GET /api/cart#secret failed', 'GET /api/cart[redacted] failed'],
  ['no user ada@example.org, ada%40example.org', 'no user [redacted], [redacted]'],
  ['Authorization: Bearer abc.def', 'Authorization: [redacted]'],
  ['sent Bearer abc.def to it', 'sent [redacted] to it'],
  ['api_key=abc123&ok=1', 'api_key=[redacted]&ok=1'],
  ['{"password": "two words", "name": "x"}', '{"password": [redacted], "name": "x"}'],
  ['client_secret: s3cr3t; next', 'client_secret: [redacted]; next'],
  ['order 123e4567-e89b-12d3-a456-426614174000 is gone', 'order [redacted] is gone'],
  [`token ${'a1'.repeat(16)}!`, 'token [redacted]!'],
  [`short ${'a1'.repeat(15)}`, `short ${'a1'.repeat(15)}`],
  ["Unexpected token '<', a ? b : c is not a function", "Unexpected token '<', a ? b : c is not a function"],
])('the error %j is redacted to %j', (text, redacted) => {
  expect(redactError(text)).toBe(redacted)
})

test('redacting an error takes a bounded time for a text that is made to be slow', () => {
  const parts = ['/', '@', 'a', 'key', 'key:', '"', ' ', 'bearer ', '%40', '-']
  for (const part of parts) {
    const before = process.threadCpuUsage()
    redactError(part.repeat(5000))
    const { user, system } = process.threadCpuUsage(before)
    // Processor time of this thread, so that a busy machine does not count. A quadratic search of 1,000
    // characters takes a few ms, and one without a limit seconds.
    expect([part, (user + system) / 1e6 < 1]).toEqual([part, true])
  }
})

test.each(['/', 'key', '?', 'token"', 'bearer', ' ', 'a@'])(
  'of the text of an error, a million `%s`, 1,000 characters are searched',
  piece => {
    expect(redactError(piece.repeat(1_000_000)).length).toBeLessThanOrEqual(1_000)
  },
)

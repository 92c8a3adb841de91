import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { connectCdp } from '#providers/chromium/cdp-connection'

test.each([
  ['is no JSON', '{"id":\0'],
  ['is no object', 'null\0'],
  ['is an event that its handler cannot read', '{"method":"Fetch.requestPaused"}\0'],
])('a message that %s ends the connection, not the process', async (_, message) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connection = connectCdp(input, output, ({ params }) => {
    if (params.request === undefined) throw new TypeError('no request')
  })
  const answer = connection.send('Browser.getVersion')
  output.write(message)
  await connection.ended
  await expect(answer).rejects.toThrow('the browser has ended')
})

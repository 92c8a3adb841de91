import { expect, test } from 'vitest'
import { homePages } from '#lambdas/pages/home'
import { endpointLines } from '#schemas/endpoint-lines'

/** The address that AWS gives to an API has 57 characters. */
const LONG_ADDRESS = `https://${'x'.repeat(56)}`

test.each([true, false])('/llms.txt has 8 KB at most, with a demo: %s', async mayHaveDemo => {
  const open = () => async () => expect.unreachable('only the page needs a browser')
  const browser = { open } as unknown as Parameters<typeof homePages>[1]
  const { body } = homePages({ baseUrl: LONG_ADDRESS, mayHaveDemo }, browser).llms()
  expect(Buffer.byteLength(String(body))).toBeLessThanOrEqual(8 * 1_024)
  for (const { lines } of endpointLines(mayHaveDemo)) for (const line of lines) expect(body).toContain(line)
  expect(String(body).includes('POST /demo/session')).toBe(mayHaveDemo)
})

import { Readable, Transform } from 'node:stream'
import type { NodeHttpHandler } from '@smithy/node-http-handler'

/** An answer of 3,000 tokens has about 15 KB. */
const MAX_BODY_BYTES = 500_000

/** Makes a handler end responses that are larger than any answer: the SDK would read them to their end. */
export function limitBody(handler: NodeHttpHandler): NodeHttpHandler {
  const handle = handler.handle.bind(handler)
  handler.handle = async (...call) => {
    const result = await handle(...call)
    const { body } = result.response
    if (body instanceof Readable) {
      let bytes = 0
      result.response.body = body.pipe(
        new Transform({
          transform(chunk: Buffer, _, done) {
            bytes += chunk.length
            if (bytes <= MAX_BODY_BYTES) return done(null, chunk)
            body.destroy()
            done(new Error('the response is too large'))
          },
        }),
      )
      body.on('error', error => result.response.body.destroy(error))
    }
    return result
  }
  return handler
}

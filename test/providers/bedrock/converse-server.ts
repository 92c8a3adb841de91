import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server of the Converse API got, as far as tests look at it. */
export type ConverseCall = {
  path: string
  headers: IncomingMessage['headers']
  body: {
    system: { text: string }[]
    messages: { role: string; content: { text: string }[] }[]
    inferenceConfig: Record<string, unknown>
    [other: string]: unknown
  }
}

export type ConverseAnswer = (call: ConverseCall, response: ServerResponse) => void

/** A server of this machine that speaks Bedrock's Converse API as far as one request needs it. */
export async function startConverse(answer: ConverseAnswer) {
  const calls: ConverseCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const call = { path: decodeURIComponent(request.url ?? ''), headers: request.headers, body }
    calls.push(call)
    answer(call, response)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    calls,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}

/** Sends a text as a model does. */
export function sayText(response: ServerResponse, text: string, changes: Record<string, unknown> = {}): void {
  sendJson(response, 200, {
    output: { message: { role: 'assistant', content: [{ text }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1_200, outputTokens: 700, totalTokens: 1_900 },
    metrics: { latencyMs: 5 },
    ...changes,
  })
}

/** Sends an error as Bedrock does. */
export function sendError(response: ServerResponse, status: number, type: string): void {
  response.setHeader('x-amzn-errortype', type)
  sendJson(response, status, { message: 'said by the test' })
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

type Sentence = { id: number; words: string; facts: string[] }

/** The data that a call sent. */
export function dataOf({ body }: ConverseCall): {
  text: string
  site: Record<string, string>
  sentences: Sentence[]
} {
  const text = body.messages[0]?.content[0]?.text ?? ''
  return { text, ...JSON.parse(text.replace(/^<data>|<\/data>$/g, '')) }
}

/** What a good model answers: each sentence with a word more or less. */
export function goodAnswer(
  call: ConverseCall,
  change: (words: string, sentence: Sentence) => string,
): string {
  const sentences = dataOf(call).sentences.map(each => ({ id: each.id, words: change(each.words, each) }))
  return JSON.stringify({ sentences })
}

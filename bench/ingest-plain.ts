import { createServer } from 'node:http'

/**
 * What Node alone can do on this machine: a server that takes a body, parses it as JSON and answers. bench/ingest.ts
 * starts it as a process with the port as its argument.
 */
const ANSWER = '{"ok":true,"queued":true}'
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': ANSWER.length }

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8'))
    response.writeHead(202, HEADERS)
    response.end(ANSWER)
  })
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('ready\n'))

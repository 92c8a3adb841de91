import { createServer } from 'node:http'

/**
 * The fastest server that Node allows on this machine: it reads a body, parses it as JSON and responds.
 * bench/ingest.ts compares the service with it. It runs as its own process, with the port as its argument.
 */
const RESPONSE = '{"ok":true,"queued":true}'
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': RESPONSE.length }

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8'))
    response.writeHead(202, HEADERS)
    response.end(RESPONSE)
  })
}).listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('ready\n'))

import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answers, count, exchange, type Sent } from './exchange.ts'

type Requests = {
  /** The request with this number, from 0. */
  request(i: number): Sent
  /** Requests to send. Default: until the signal. */
  total?: number
  /** At a steady rate, whether answers come or not; or so many at a time, each after the answer before it. */
  pace: { perSecond: number } | { atOnce: number }
}

/** Sends requests over kept connections, and counts what is answered. */
export async function sendRequests(
  { request, total = Number.POSITIVE_INFINITY, pace }: Requests,
  stopping: AbortSignal,
): Promise<Answers> {
  const answers: Answers = {}
  const agent = new Agent({ keepAlive: true })
  let next = 0
  const sendNext = async (): Promise<void> => {
    const { outcome } = await exchange({ agent, ...request(next++) })
    count(answers, outcome)
    // A refused connection is refused again at once.
    if (/^[A-Z]/.test(outcome)) await sleep(100)
  }
  if ('atOnce' in pace) {
    const one = async () => {
      while (!stopping.aborted && next < total) await sendNext()
    }
    await Promise.all(Array.from({ length: pace.atOnce }, one))
  } else {
    const startedAt = performance.now()
    const sending: Promise<void>[] = []
    while (!stopping.aborted && next < total) {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * pace.perSecond) + 1
      while (next < Math.min(due, total)) sending.push(sendNext())
      await sleep(5)
    }
    await Promise.all(sending)
  }
  agent.destroy()
  return answers
}

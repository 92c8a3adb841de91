import { setTimeout as sleep } from 'node:timers/promises'
import {
  GetQueryExecutionCommand,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import type { Context } from 'aws-lambda'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createInstruments } from '#aws/instruments'
import { awsError } from '#test/support/aws-error'
import { createFakeClock } from '#test/support/fake-clock'
import { createMockedEngine, one, pollResponses, running, succeeded, throttled } from './mocked-athena.ts'

const [queued] = pollResponses({ State: 'QUEUED' }) as [object]

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('while a statement runs', () => {
  test('a throttled or failed poll is followed by the next poll', async () => {
    const { engine, mock } = createMockedEngine()
    mock
      .on(GetQueryExecutionCommand)
      .rejectsOnce(throttled)
      .resolvesOnce(running)
      .rejectsOnce(awsError('InternalServerException', 'server'))
      .resolves(succeeded)
    expect(await engine.rows(one)).toEqual([{ one: 1 }])
  })

  test('a rejected poll stops the statement and throws', async () => {
    const { engine, mock, stops } = createMockedEngine()
    mock.on(GetQueryExecutionCommand).rejects(awsError('AccessDeniedException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(stops()).toBe(1)
  })

  test('the timeout stops it, with a second try when the stop is throttled', async () => {
    const clock = createFakeClock()
    const { engine, mock, stops } = createMockedEngine({ timeoutMs: 30, clock })
    mock.on(GetQueryExecutionCommand).callsFake(async () => {
      clock.advance(30)
      return running
    })
    mock.on(StopQueryExecutionCommand).rejectsOnce(throttled).resolves({})
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE', extras: { retryAfter: 10 } })
    expect(stops()).toBe(2)
  })

  test('a rejected stop does not hide the timeout', async () => {
    const clock = createFakeClock()
    const { engine, mock } = createMockedEngine({ timeoutMs: 30, clock })
    mock.on(GetQueryExecutionCommand).callsFake(async () => {
      clock.advance(30)
      return running
    })
    mock.on(StopQueryExecutionCommand).rejects(awsError('InvalidRequestException', 'client'))
    await expect(engine.rows(one)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a caller that leaves during the start stops the statement after the start', async () => {
    const { engine, mock, stops } = createMockedEngine()
    const caller = new AbortController()
    mock.on(StartQueryExecutionCommand).callsFake(async () => {
      caller.abort(new Error('the caller left'))
      return { QueryExecutionId: 'q1' }
    })
    await expect(engine.rows(one, { signal: caller.signal })).rejects.toThrow('the caller left')
    expect(stops()).toBe(1)
  })
})

describe("a guest's statement", () => {
  test('that Athena throttles gives up after 3 s, and that of an account goes on', async () => {
    const clock = createFakeClock()
    const { engine, mock, stops } = createMockedEngine({ clock })
    let starts = 0
    mock.on(StartQueryExecutionCommand).callsFake(async () => {
      clock.advance(1_000)
      if (++starts <= 5) throw throttled
      return { QueryExecutionId: 'q1' }
    })
    mock.on(GetQueryExecutionCommand).resolves(succeeded)
    await expect(engine.rows(one, { isGuest: true })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Reads of accounts come first'),
      extras: { retryAfter: 5 },
    })
    expect(starts).toBe(3)
    expect(await engine.rows(one)).toEqual([{ one: 1 }])
    expect(stops()).toBe(0)
  })

  test("that still waits in Athena's queue after 3 s is stopped, and one that runs goes on", async () => {
    const clock = createFakeClock()
    const { engine, mock, stops } = createMockedEngine({ clock })
    const states = [queued, queued, queued, ...Array.from({ length: 10 }, () => running), succeeded]
    mock.on(GetQueryExecutionCommand).callsFake(async () => {
      clock.advance(1_000)
      return states.shift()
    })
    await expect(engine.rows(one, { isGuest: true })).rejects.toMatchObject({ extras: { retryAfter: 5 } })
    expect(stops()).toBe(1)
    expect(await engine.rows(one, { isGuest: true })).toEqual([{ one: 1 }])
    expect(clock.time).toBe(14_000)
    expect(stops()).toBe(1)
  })
})

describe('a call that runs into its timeout', () => {
  const before = 100
  const context = { getRemainingTimeInMillis: () => before + 20 } as Context

  /**
   * Runs two endless statements until the timeout response. Returns how many of them were not stopped by
   * then.
   */
  async function runningAfterTimeout(withinMs: number, stop: () => Promise<object>): Promise<number> {
    vi.stubEnv('POWERTOOLS_TRACE_ENABLED', 'false')
    const { engine, mock } = createMockedEngine()
    let left = 2
    mock.on(GetQueryExecutionCommand).resolves(running)
    mock.on(StopQueryExecutionCommand).callsFake(async () => {
      await stop()
      left -= 1
      return {}
    })
    const handler = createInstruments().instrument(
      async (_, signal) => {
        await Promise.all([engine.rows(one, { signal }), engine.rows(one, { signal })])
      },
      { before, respond: () => engine.waitUntilIdle(withinMs) },
    )
    await handler({}, context)
    return left
  }

  test('stops its statements before the response', async () => {
    expect(await runningAfterTimeout(60_000, () => sleep(30, {}))).toBe(0)
  })

  test('does not wait for a stop without end', async () => {
    expect(await runningAfterTimeout(30, () => new Promise(() => {}))).toBe(2)
  })
})

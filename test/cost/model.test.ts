import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configMisses } from '#cost/cached-config'
import { charge, type Line } from '#cost/charge'
import { recordBytes, shards } from '#cost/ingest'
import { lakeFigures } from '#cost/lake-figures'
import { type Cost, monthlyCost } from '#cost/model'
import { readFigures } from '#cost/reads'
import { type Usage, usage, usageSchema } from '#cost/usage'
import { propertySettings } from '#test/support/depth'

/** Returns the USD of a price, for one purpose or for all purposes. */
function usd({ lines }: Cost, price: string, purpose?: string): number {
  return lines
    .filter(line => line.price === price && (purpose === undefined || line.purpose === purpose))
    .reduce((sum, line) => sum + line.usd, 0)
}

describe('examples that were calculated by hand', () => {
  test('three people with the overview on their screen cost its 2 statements each five minutes, 10 MB each', () => {
    // So few that the parts of a statement read less together.
    const one = usage({ events: 1e4, projects: 1, batch: 10 })
    const cost = monthlyCost({ ...one, people: 3 })
    const pictures = 3 * 176 * 12
    expect(usd(cost, 'athenaTb', 'dashboard')).toBeCloseTo(pictures * 2 * 1e-5 * 5, 9)
    expect(usd(monthlyCost(one), 'athenaTb', 'dashboard')).toBe(0)
    const everyMinute = monthlyCost({ ...one, people: 3, refreshSeconds: 60 })
    expect(usd(everyMinute, 'athenaTb', 'dashboard')).toBeCloseTo(pictures * 5 * 2 * 1e-5 * 5, 9)
  })

  test('an idle service costs one shard, the monitoring, the maintenance of every minute and empty polls', () => {
    const cost = monthlyCost(usage({ events: 0, reads: 0, months: 0 }))
    expect(usd(cost, 'shardHour')).toBeCloseTo(730 * 0.015, 9)
    expect(usd(cost, 'alarm') + usd(cost, 'metric')).toBeCloseTo(46 * 0.1 + (4 * 0.3) / 24, 9)
    expect(usd(cost, 'sqsRequest')).toBeCloseTo(43_800 * 15 * 0.4e-6, 9)
    expect(usd(cost, 'schedule')).toBeCloseTo(0.0438, 9)
    expect(usd(cost, 'apiRequest') + usd(cost, 'cloudfrontRequest') + usd(cost, 'athenaTb')).toBe(0)
    expect(usd(cost, 'dashboard')).toBe(0)
    expect(cost.total).toBeLessThan(17)
    expect(cost.perMillion).toBeNull()
  })

  test('a view that polls pays for its requests, and costs less than a third of an open stream', () => {
    const nothing = usage({ events: 0, reads: 0, months: 0 })
    const cost = monthlyCost({ ...nothing, polls: 1 })
    // A request every five seconds: 730 hours have 525,600.
    expect(usd(cost, 'apiRequest', 'polls')).toBeCloseTo(525_600 * 1e-6, 6)
    expect(usd(cost, 'stateWrite', 'polls')).toBeCloseTo(525_600 * 3 * 0.625e-6, 6)
    const idle = monthlyCost(nothing).total
    expect(3 * (cost.total - idle)).toBeLessThan(monthlyCost({ ...nothing, streams: 1 }).total - idle)
  })

  test('ten open streams cost the time of their function, and looks into the buffer', () => {
    const idle = usage({ events: 0, reads: 0, months: 0, streams: 10 })
    const cost = monthlyCost(idle)
    // 10 streams, 730 hours, a quarter of a GB; a hundredth of twelve connections an hour starts in 0.4 s.
    expect(usd(cost, 'lambdaArmSecond', 'open streams')).toBeCloseTo(
      10 * 730 * (3_600 + 12 * 0.01 * 0.4) * 0.25 * 0.0000133334,
      6,
    )
    expect(usd(cost, 'lambdaRequest', 'open streams')).toBeCloseTo(10 * 730 * 12 * 0.2e-6, 9)
    expect(usd(cost, 'stateRead', 'open streams')).toBeCloseTo(10 * 730 * 3_600 * 4 * 0.125e-6, 6)
  })

  test('the live buffer costs one write for each project and second with requests', () => {
    // One request a second of one project on average: 63 % of the seconds have one.
    const cost = monthlyCost(usage({ events: 2_628_000, batch: 1, projects: 1, reads: 0 }))
    const writes = 2_628_000 * (1 - Math.exp(-1))
    // 500 bytes for each chunk and 60 for each event, and half a unit for rounding up.
    const units = writes * (500 / 1_024 + 0.5) + (2_628_000 * 60) / 1_024
    expect(usd(cost, 'stateWrite', 'live')).toBeCloseTo(units * 0.625e-6, 6)
    expect(usd(cost, 'lambdaRequest', 'live')).toBeCloseTo(writes * 0.2e-6, 9)
  })

  test('100M events with 10 a request cost 10M requests and 10M records', () => {
    const cost = monthlyCost(usage({ events: 100e6, batch: 10, reads: 0 }))
    expect(usd(cost, 'apiRequest', 'track')).toBeCloseTo(10, 9)
    expect(usd(cost, 'cloudfrontRequest', 'track')).toBeCloseTo(10, 9)
    expect(usd(cost, 'putUnit')).toBeCloseTo(0.14, 9)
    expect(usd(cost, 'lambdaRequest', 'track')).toBeCloseTo(2, 9)
    // 20 ms, 0.05 ms an event and a hundredth of a start of 400 ms, at half a GB.
    const seconds = 0.0205 + 0.01 * 0.4
    expect(usd(cost, 'lambdaArmSecond', 'track')).toBeCloseTo(10e6 * seconds * 0.5 * 0.0000133334, 6)
    // 19.65 bytes an event for 12 months.
    expect(usd(cost, 's3Stored', 'stored events')).toBeCloseTo(23.58 * 0.023, 6)
  })

  test('a worker pays for its disk beyond 512 MB while it runs, and a read may ask for a secret once a process', () => {
    const cost = monthlyCost(usage({ events: 1e6, reads: 1_000 }))
    const ofPrice = (price: string, purpose: string) =>
      cost.lines.find(line => line.price === price && line.purpose === purpose)?.quantity ?? 0
    // 10,240 MB of disk and 3,008 MB of memory for the same seconds.
    const seconds = ofPrice('lambdaArmSecond', 'compaction') / (3_008 / 1_024)
    expect(ofPrice('lambdaDisk', 'compaction')).toBeCloseTo(seconds * ((10_240 - 512) / 1_024), 6)
    expect(ofPrice('lambdaDisk', 'track')).toBe(0)
    expect(ofPrice('secretCall', 'reads')).toBeCloseTo(ofPrice('lambdaRequest', 'reads') * 0.01, 9)
    expect(ofPrice('secretCall', 'track')).toBe(0)
  })

  test('API Gateway charges less for each request above 300M', () => {
    const cost = monthlyCost(usage({ events: 10e9, batch: 10, reads: 0 }))
    expect(usd(cost, 'apiRequest', 'track')).toBeCloseTo(300 + 700 * 0.9, 6)
  })

  test('the number of shards follows from the records or bytes of the busiest second, at 80 % of the capacity', () => {
    // 10B / 10 / 2,628,000 s = 380.5 records a second, and 1,522 at the peak. A shard at 80 % takes 800.
    expect(shards(usage({ events: 10e9, batch: 10, peak: 4 }))).toBe(2)
    expect(shards(usage({ events: 10e9, batch: 1, peak: 4 }))).toBe(20)
    expect(shards(usage({ events: 1e6 }))).toBe(1)
    // A record of 100 events of 8 kB has 41 kB. 380 records a second are 15.7 MB.
    const large = usage({ events: 100e9, batch: 100, eventBytes: 8_000, peak: 1 })
    expect(recordBytes(large)).toBeCloseTo(425 + 34 * 100 * (8_000 / 660), 6)
    expect(shards(large)).toBe(Math.ceil(((1e9 / 2_628_000) * recordBytes(large)) / 1e6 / 0.8))
  })

  test('an on-demand stream has at least four shards and charges each record in whole kilobytes', () => {
    const onDemand = usage({ events: 1e6, batch: 1, stream: 'on-demand', reads: 0 })
    expect(shards(onDemand)).toBe(4)
    expect(usd(monthlyCost(onDemand), 'streamHour')).toBeCloseTo(29.2, 9)
    expect(usd(monthlyCost(onDemand), 'streamIn')).toBeCloseTo(1e6 * 1.024e-6 * 0.08, 9)
    // Two consumers read each byte.
    expect(usd(monthlyCost(onDemand), 'streamOut')).toBeCloseTo(2 * 1e6 * 1.024e-6 * 0.04, 9)
  })

  test('each epoch of 15 minutes has one segment a bucket, and a seventh of the segments is merged', () => {
    const figures = lakeFigures(usage({ events: 100e6, projects: 1, epochMinutes: 15 }))
    expect(figures.epochs).toBeCloseTo(2_920, 6)
    expect(figures.buckets).toBeCloseTo(1, 9)
    expect(figures.segmentsPerEpoch).toBeCloseTo(1, 9)
    expect(figures.merges).toBeCloseTo(2_920 / 7, 6)
    expect(figures.claims).toBeCloseTo(43_800, 3)
  })

  test('an epoch closes with its thousandth hot file, before its bytes or its time are full', () => {
    const usageOfMany = usage({ events: 100e9, projects: 10_000 })
    const { epochs, claims } = lakeFigures(usageOfMany)
    expect(claims / epochs).toBeCloseTo(1_000, 6)
    expect((usageOfMany.events * 30) / epochs).toBeLessThan(256 * 1024 * 1024)
    expect(43_800 / epochs).toBeLessThan(15)
  })

  test('the size of a claim is limited before compression, the size of a Lambda batch after compression', () => {
    // 380 records of 100 events a second. A record has 59,160 bytes, and 3,825 compressed. The limits are 24
    // MB and 4.5 MB.
    const figures = lakeFigures(usage({ events: 100e9, batch: 100 }))
    expect(figures.batches).toBeCloseTo((1e9 * 3_825) / 4.5e6, 0)
    expect(figures.claims).toBeCloseTo((1e9 * 59_160) / 24e6, 0)
  })

  test('a read lists the hot epochs itself, and in each of 2 statements those and the folders of its tables', () => {
    const { lists } = readFigures(usage({ events: 100e6, range: 30, months: 12, epochMinutes: 15 }))
    // An epoch that is being compacted, for one of its 15 minutes.
    const hotEpochs = 1 + 1 / 15
    expect(lists).toBeCloseTo(hotEpochs + (hotEpochs + 2) + (hotEpochs + 1), 6)
  })

  test('a read scans small files whole, and only the columns of the project in larger files', () => {
    // 1B events of one project are 32.9M a day. Hot files have a minute of them, 1.07 MB each.
    const { bytes } = readFigures(usage({ events: 1e9, projects: 1, range: 1, months: 12, epochMinutes: 60 }))
    const day = 1e9 / (730 / 24)
    const cold = day * (2 * 3.7 + 35 * 1.0 + 2 * 2 * 1.13)
    const hot = 3 * (60 * (0.5 + 1 / 60) * (1e9 / 43_800) * 47)
    expect(bytes / (cold + hot)).toBeGreaterThan(1)
    expect(bytes / (cold + hot)).toBeLessThan(1.1)
  })

  test('Athena bills a small read as 10 MB for each of its two statements', () => {
    const cost = monthlyCost(usage({ events: 1e6, projects: 10, reads: 1_000 }))
    expect(usd(cost, 'athenaTb')).toBeCloseTo((1_000 * 20e6 * 5) / 1e12, 9)
  })

  test('without CloudFront, API Gateway also delivers the tracker', () => {
    const cost = monthlyCost(usage({ events: 100e6, batch: 10, reads: 0, cloudfront: 'off' }))
    expect(usd(cost, 'cloudfrontRequest')).toBe(0)
    expect(usd(cost, 'apiRequest')).toBeCloseTo(10 + (2 * 100) / 6.7, 6)
  })
})

test('ingestion by a function URL pays no request of API Gateway and no line of its log, and browsers cost less than $2.50 a million', () => {
  const browsers = usage({ events: 100e6, reads: 30e3 })
  const byApi = monthlyCost(browsers)
  const byUrl = monthlyCost({ ...browsers, ingestion: 'function-url' })
  const requests = 100e6 / 1.14
  expect(usd(byApi, 'apiRequest', 'track')).toBeCloseTo(requests * 1e-6, 6)
  expect(usd(byUrl, 'apiRequest', 'track')).toBe(0)
  // A line of 280 bytes, taken in and kept for a month.
  const logs = (requests * 340) / 1e9
  const saved = requests * 1e-6 + logs * 0.5 + logs * 0.03
  expect(byApi.total - byUrl.total).toBeCloseTo(saved, 4)
  expect(byUrl.perMillion).toBeLessThan(2.5)
})

test('an analysis pays 45 s of two functions, and tokens only with a text model', () => {
  const idle = usage({ events: 0, reads: 0, months: 0 })
  const without = monthlyCost({ ...idle, analyses: 1_000 })
  const scanSeconds = (45_000 * 2_048) / 1_024
  expect(usd(without, 'lambdaX86Second', 'website analyses')).toBeCloseTo(scanSeconds * 0.0000166667, 4)
  expect(usd(without, 'textModelIn') + usd(without, 'textModelOut')).toBe(0)
  const withModel = monthlyCost({ ...idle, analyses: 1_000, textModel: 'on' })
  expect(withModel.total - without.total).toBeCloseTo(1_000 * (1_300 * 1.1e-6 + 750 * 5.5e-6), 9)
  expect(monthlyCost({ ...idle, textModel: 'on' })).toEqual(monthlyCost(idle))
})

test('a cache asks for the experiments of a project at most once a minute, and not for every session', () => {
  const rare = usage({ events: 670, projects: 1 })
  // A hundred sessions a month hardly ever meet in the same minute and cache.
  expect(configMisses(rare)).toBeCloseTo(100, 0)
  const busy = usage({ events: 1e12, projects: 2 })
  expect(configMisses(busy)).toBeCloseTo(2 * 13 * 43_800, 3)
  expect(configMisses({ ...busy, cloudfront: 'off' })).toBe(0)
})

test('requests of bots cost their answers, and nothing behind the stream', () => {
  const base = usage({ events: 100e6, batch: 1, reads: 0 })
  const [without, withBots] = [monthlyCost(base), monthlyCost({ ...base, bots: 0.5 })]
  expect(usd(withBots, 'lambdaRequest', 'track')).toBeCloseTo(1.5 * usd(without, 'lambdaRequest', 'track'), 6)
  for (const price of ['putUnit', 'shardHour', 'stateWrite', 's3Stored'])
    expect(usd(withBots, price), price).toBeCloseTo(usd(without, price), 9)
})

test('the profile hosted writes once for ten requests with events, and once for each read', () => {
  const hosted = monthlyCost(usage({ events: 100e6, batch: 1, reads: 1_000, profile: 'hosted' }))
  expect(usd(hosted, 'stateWrite', 'limits')).toBeCloseTo((100e6 / 10 + 1_000) * 0.625e-6, 6)
})

test('a funnel scans the columns of the events once, in one statement', () => {
  const base = usage({ events: 1e9, projects: 1, range: 30, months: 12, reads: 0 })
  const cost = monthlyCost({ ...base, queries: 1_000 })
  // 31 days of 14.6 bytes an event, of which a half is read, at $5 a TB; hot files come on top.
  const cold = ((1e9 / (730 / 24)) * 31 * 14.6 * 0.5 * 1_000 * 5) / 1e12
  expect(usd(cost, 'athenaTb', 'queries') / cold).toBeGreaterThan(1)
  expect(usd(cost, 'athenaTb', 'queries') / cold).toBeLessThan(1.1)
})

test('live items are kept for two days after their expiry, because DynamoDB deletes late', () => {
  // 100M events of a hundred a request have 6 GB in chunks, beside the heads of the chunks.
  const cost = monthlyCost(usage({ events: 100e6, batch: 100, projects: 1, reads: 0 }))
  const gigabytes = 6 + (usd(cost, 'lambdaRequest', 'live') / 0.2e-6) * 500e-9
  expect(usd(cost, 'stateStored', 'live')).toBeCloseTo((gigabytes * 48) / 730 / 4, 3)
})

test('lines of one price share its tiers and its free units', () => {
  const halves = [
    { price: 'apiRequest', quantity: 200e6, purpose: 'a' },
    { price: 'apiRequest', quantity: 200e6, purpose: 'b' },
  ] as const
  expect(charge(halves, { freeTier: false }).map(line => line.usd)).toEqual([200, 100 + 90])
  const invocations = [
    { price: 'lambdaRequest', quantity: 600_000, purpose: 'a' },
    { price: 'lambdaRequest', quantity: 600_000, purpose: 'b' },
  ] as const
  const [first, second] = charge(invocations, { freeTier: true })
  expect(first?.usd).toBe(0)
  expect(second?.usd).toBeCloseTo(0.04, 9)
})

const wholeNumbers = (max: number) => fc.double({ min: 0, max, noNaN: true }).map(Math.round)
const anyUsage: fc.Arbitrary<Usage> = fc
  .record({
    events: wholeNumbers(1e11),
    batch: fc.double({ min: 1, max: 100, noNaN: true }),
    browserShare: fc.double({ min: 0, max: 1, noNaN: true }),
    eventBytes: fc.double({ min: 100, max: 10_000, noNaN: true }),
    peak: fc.double({ min: 1, max: 100, noNaN: true }),
    projects: fc.double({ min: 1, max: 1e6, noNaN: true }),
    accounts: fc.double({ min: 1, max: 1e6, noNaN: true }),
    eventIds: fc.constantFrom('no', 'yes'),
    reads: wholeNumbers(1e9),
    range: fc.integer({ min: 1, max: 3_650 }),
    months: fc.double({ min: 0, max: 120, noNaN: true }),
    stream: fc.constantFrom('provisioned', 'on-demand'),
    shards: fc.constant(0),
    retentionHours: fc.integer({ min: 24, max: 168 }),
    epochMinutes: fc.double({ min: 1, max: 1_440, noNaN: true }),
    architecture: fc.constantFrom('arm64', 'x86_64'),
    cloudfront: fc.constantFrom('on', 'off'),
    queries: wholeNumbers(1e9),
    bots: fc.double({ min: 0, max: 10, noNaN: true }),
    profile: fc.constantFrom('own', 'hosted'),
    ingestion: fc.constantFrom('api', 'function-url'),
    waf: fc.constantFrom('on', 'off'),
    tracing: fc.constantFrom('on', 'off'),
    dashboard: fc.constantFrom('on', 'off'),
    freeTier: fc.constantFrom('no', 'yes'),
  })
  .map(values => usageSchema.parse(values))

test('every line is a number of at least zero, and the total is the sum of all lines', () => {
  fc.assert(
    fc.property(anyUsage, base => {
      const { lines, total, services } = monthlyCost(base)
      const isRight = ({ quantity, usd }: Line) =>
        Number.isFinite(quantity) && Number.isFinite(usd) && quantity >= 0 && usd >= -1e-9 * total
      expect(lines.filter(line => !isRight(line))).toEqual([])
      expect(lines.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(total, 6)
      expect(services.reduce((sum, { usd }) => sum + usd, 0) / total).toBeCloseTo(1, 9)
    }),
    propertySettings(100),
  )
})

/** Sums of the same lines may differ by their rounding. */
const ROUNDING = 1e-9

/**
 * Expects that `change` never lowers the cost by more than the share `saving`. It skips changes to a usage
 * that the tool does not accept.
 */
function expectNeverCheaper(
  change: (base: Usage, factor: number) => Partial<Usage>,
  usages = anyUsage,
  saving = ROUNDING,
) {
  fc.assert(
    fc.property(usages, fc.double({ min: 1, max: 10, noNaN: true }), (base, factor) => {
      const parsed = usageSchema.safeParse({ ...base, ...change(base, factor) })
      fc.pre(parsed.success)
      expect(monthlyCost(parsed.data as Usage).total).toBeGreaterThanOrEqual(
        monthlyCost(base).total * (1 - saving),
      )
    }),
    propertySettings(300),
  )
}

test.each(['events', 'reads', 'months', 'accounts'] as const)('more %s never cost less', name =>
  expectNeverCheaper((base, factor) => ({ [name]: base[name] * factor })),
)

/**
 * More hot files can end an epoch before its time. The next one begins without files, so reads open fewer. An
 * epoch of a minute ends by its time.
 */
const shortEpochs = { epochMinutes: 1 } as const

// A higher peak needs more shards, and each has its own item of open counts. With many projects, smaller
// items save more writes than shards cost.
test('with up to 100 projects, a higher peak never costs less', () => {
  const few = anyUsage.map(base => ({ ...base, ...shortEpochs, projects: Math.min(100, base.projects) }))
  expectNeverCheaper(({ peak }, factor) => ({ peak: peak * factor }), few)
})

test('keeping records longer in the stream never costs less', () => {
  expectNeverCheaper(({ retentionHours }, factor) => ({
    retentionHours: Math.min(168, Math.round(retentionHours * factor)),
  }))
})

// A read of a smaller project is cheaper, so this holds only without reads. More projects have their events
// in more buckets, whose smaller segments are merged less often. That saves up to 1.2 % with epochs of a
// minute.
test('without reads, more projects never cost notably less', () => {
  expectNeverCheaper(
    ({ projects }, factor) => ({ projects: projects * factor }),
    anyUsage.map(base => ({ ...base, reads: 0, queries: 0 })),
    0.02,
  )
})

// A segment with events of the range and of the days before it is read for both. A longer range has fewer
// days before it, and one that reaches the first event has none.
test('reading more days never costs notably less', () => {
  expectNeverCheaper(
    ({ range }, factor) => ({ range: Math.min(3_650, Math.round(range * factor)) }),
    anyUsage,
    0.005,
  )
})

// A small record is not compressed. A larger event can make it large enough for compression, and so smaller
// in the stream.
test('larger events never cost less when all records are compressed', () => {
  const compressed = anyUsage.map(base => ({
    ...base,
    ...shortEpochs,
    batch: Math.max(2, base.batch),
    eventBytes: Math.max(660, base.eventBytes),
  }))
  expectNeverCheaper(
    ({ eventBytes }, factor) => ({ eventBytes: Math.min(10_000, eventBytes * factor) }),
    compressed,
  )
})

// API Gateway counts a request of more than 512 kB twice.
test('fewer events a request never cost less when a request has less than 512 kB', () => {
  const small = anyUsage.map(base => ({
    ...base,
    ...shortEpochs,
    eventBytes: Math.min(5_000, base.eventBytes),
  }))
  expectNeverCheaper(({ batch }, factor) => ({ batch: Math.max(1, batch / factor) }), small)
})

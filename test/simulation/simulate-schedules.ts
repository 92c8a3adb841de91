import { type SimulationOptions, type SimulationReport, simulateSchedule } from './simulate-schedule.ts'

/**
 * Runs `count` schedules with the seeds from `firstSeed` on and adds up their reports. An error names its
 * seed.
 */
export async function simulateSchedules(
  count: number,
  firstSeed: number,
  options: SimulationOptions = {},
): Promise<SimulationReport> {
  let sum = await simulateSchedule(firstSeed, options)
  for (let seed = firstSeed + 1; seed < firstSeed + count; seed++)
    sum = add(sum, await simulateSchedule(seed, options))
  return sum
}

/**
 * Returns the figures that are too low: those that are, on average over the schedules, at or below their
 * bound. Schedules that seldom reach a state do not test it. A bound is about half of the usual figure.
 */
export function tooRare(
  report: SimulationReport,
  schedules: number,
  bounds: Partial<SimulationReport>,
): Partial<SimulationReport> {
  const figures = Object.entries(report).map(([name, sum]) => [name, sum / schedules] as const)
  return Object.fromEntries(
    figures.filter(([name, figure]) => figure <= (bounds[name as keyof SimulationReport] ?? -1)),
  )
}

function add(a: SimulationReport, b: SimulationReport): SimulationReport {
  const keys = Object.keys(a) as (keyof SimulationReport)[]
  return Object.fromEntries(keys.map(key => [key, a[key] + b[key]])) as SimulationReport
}

import { type SimulationReport, simulateSchedule } from './simulate-schedule.ts'

/**
 * Runs `count` schedules with the seeds from `firstSeed` on and adds up their reports. An error names its
 * seed.
 */
export async function simulateSchedules(
  count: number,
  firstSeed: number,
  options: { powerCuts?: boolean } = {},
): Promise<SimulationReport> {
  let sum = await simulateSchedule(firstSeed, options)
  for (let seed = firstSeed + 1; seed < firstSeed + count; seed++)
    sum = add(sum, await simulateSchedule(seed, options))
  return sum
}

function add(a: SimulationReport, b: SimulationReport): SimulationReport {
  const keys = Object.keys(a) as (keyof SimulationReport)[]
  return Object.fromEntries(keys.map(key => [key, a[key] + b[key]])) as SimulationReport
}

import { type SimulationReport, simulate } from './stream-simulator.ts'

/**
 * Runs `count` schedules from a seed drawn anew each time (or FOOTFALL_SEED) and adds their reports up. An error names
 * the seed of its schedule.
 */
export async function simulateMany(
  count: number,
  options: { powerCuts?: boolean },
): Promise<SimulationReport> {
  const first = Number(process.env.FOOTFALL_SEED ?? Math.floor(Math.random() * 2 ** 31))
  let sum: SimulationReport | undefined
  for (let seed = first; seed < first + count; seed++) {
    const report = await simulate(seed, options)
    sum = sum === undefined ? report : add(sum, report)
  }
  return sum as SimulationReport
}

function add(a: SimulationReport, b: SimulationReport): SimulationReport {
  const keys = Object.keys(a) as (keyof SimulationReport)[]
  return Object.fromEntries(keys.map(key => [key, a[key] + b[key]])) as SimulationReport
}

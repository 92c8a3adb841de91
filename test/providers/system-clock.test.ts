import { systemClock } from '#providers/system-clock'
import { clockContract } from '#test/contract/clock'

clockContract('the clock of the machine', () => systemClock)

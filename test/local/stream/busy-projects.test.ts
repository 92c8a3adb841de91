import { expect, test } from 'vitest'
import { BUSY_BYTES, createBusyProjects, STAYS_BUSY_MS } from '#local/stream/busy-projects'

function open() {
  const clock = { time: 5_000_000, now: () => clock.time }
  return { clock, projects: createBusyProjects(clock) }
}

test('a project is busy at once when it sends too much in a second, and others are not', () => {
  const { projects } = open()
  expect(projects.take('flood', BUSY_BYTES)).toBe(false)
  expect(projects.take('flood', 1)).toBe(true)
  expect(projects.take('other', 1)).toBe(false)
})

test('a project that sends steadily below the limit is never busy', () => {
  const { clock, projects } = open()
  for (let i = 0; i < 100; i++) {
    expect(projects.take('steady', BUSY_BYTES / 2)).toBe(false)
    clock.time += 1_000
  }
})

test('a busy project stays busy for a while after its last busy second', () => {
  const { clock, projects } = open()
  projects.take('flood', BUSY_BYTES + 1)
  clock.time += STAYS_BUSY_MS - 1
  expect(projects.take('flood', 1)).toBe(true)
  clock.time += 1_000
  expect(projects.take('flood', 1)).toBe(false)
})

test('a clock that was set back begins a new second', () => {
  const { clock, projects } = open()
  projects.take('site', BUSY_BYTES)
  clock.time -= 3_600_000
  expect(projects.take('site', BUSY_BYTES)).toBe(false)
})

test('it remembers the projects of a second and no more, whatever number there is', () => {
  const { clock, projects } = open()
  for (let second = 0; second < 50; second++) {
    for (let i = 0; i < 100; i++) projects.take(`p-${second}-${i}`, 10)
    projects.take(`busy-${second}`, BUSY_BYTES + 1)
    clock.time += 1_000
  }
  expect(projects.size()).toBeLessThanOrEqual(101)
})

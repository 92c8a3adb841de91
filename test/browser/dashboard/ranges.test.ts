import { expect, test } from 'vitest'
import { settled, useDashboard } from './dashboard.ts'

/** Dates, what they are compared with, and the line of the overview, as a reader chooses them. */

const dashboard = useDashboard()

test('usual ranges and all time are first and last dates, in the address and in words', async () => {
  const page = await dashboard.visit('/app/p/demo?tz=UTC')
  const range = page.getByRole('combobox', { name: 'Range' })
  await range.selectOption('Last month')
  await page.waitForURL(/range=last_month/)
  const today = new Date().toISOString().slice(0, 10)
  const end = new Date(Date.parse(`${today.slice(0, 7)}-01T00:00Z`) - 86_400_000)
  expect(await page.locator('.toolbar .title p').innerText()).toContain(`– ${end.getUTCDate()} `)
  await range.selectOption('Yesterday')
  await page.waitForURL(/range=yesterday/)
  await page.getByRole('figure', { name: 'Visitors by hour' }).waitFor()
  await settled(page)
  await range.selectOption('All time')
  await page.waitForURL(/from=/)
  const { searchParams } = new URL(page.url())
  const { receipt } = await dashboard.get<{ receipt: { data_from: string } }>(
    '/stats?project=demo&since=3650d&tz=UTC&receipt=true',
  )
  expect([searchParams.get('from'), searchParams.get('to')]).toEqual([receipt.data_from, today])
  expect(await range.locator('option:checked').innerText()).toBe('All time')
})

test('what is compared is chosen by keyboard: the same weekdays, and dates of the reader’s own', async () => {
  const page = await dashboard.visit('/app/p/demo?range=7d')
  const comparison = page.getByRole('combobox', { name: 'Compare with' })
  await page.keyboard.press('c')
  await page.waitForURL(/compare=weekdays/)
  await page.getByText('against the same weekdays before').waitFor()
  await comparison.selectOption('Compare with dates')
  await page.waitForURL(/compare=\d{4}-\d\d-\d\d\.\.\d{4}/)
  const first = page.getByLabel('First date to compare with')
  const last = page.getByLabel('Last date to compare with')
  const to = await last.inputValue()
  await first.fill(to)
  await page.getByText(/against chosen dates, .* \(1 day beside 7\)/).waitFor()
  expect(new URL(page.url()).searchParams.get('compare')).toBe(`${to}..${to}`)
  await page.reload()
  expect(await first.inputValue()).toBe(to)
  await comparison.selectOption('No comparison')
  await page.waitForURL(/compare=none/)
  expect(await page.locator('.toolbar .title').innerText()).not.toContain('against')
})

test('the name of a number shows it over time, by mouse and by keyboard', async () => {
  const page = await dashboard.visit('/app/p/demo?range=14d')
  await page.getByRole('link', { name: 'Page views', exact: true }).click()
  await page.getByRole('figure', { name: 'Page views by day' }).waitFor()
  await page.getByRole('link', { name: 'Page views', exact: true }).focus()
  for (const key of ['ArrowLeft', ...Array.from({ length: 6 }, () => 'ArrowRight'), 'Enter'])
    await page.keyboard.press(key)
  await page.getByRole('figure', { name: 'Duration by day' }).waitFor()
  expect(new URL(page.url()).searchParams.get('course')).toBe('duration')
  expect(await page.locator('.tiles [aria-current]').innerText()).toBe('Duration')
  await page.goBack()
  await page.getByRole('figure', { name: 'Page views by day' }).waitFor()
})

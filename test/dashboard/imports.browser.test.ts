import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RawResponse, startHostileSite } from '../support/hostile-site.ts'
import { type Stage, startStage } from './stage.ts'

// From a file of sites of which some fail to all of them connected.

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

it('an import connects what is right, groups what fails by its cause, and has what failed ready to be corrected', async () => {
  const site = await startHostileSite()
  site.lie({
    'users/me': (answer, { authorization }) =>
      Buffer.from(authorization?.slice(6) ?? '', 'base64')
        .toString()
        .endsWith(':wrong')
        ? new RawResponse(401, '{"code":"incorrect_password","message":"Wrong."}')
        : answer,
  })
  const isWrong = (at: number) => at % 8 === 7
  const line = (at: number) =>
    at === 3
      ? `${site.url},,right,Site ${at}`
      : `${site.url},u${at},${isWrong(at) ? 'wrong' : 'right'},${at === 7 ? 'password' : `Site ${at}`}`
  const lines = Array.from({ length: 24 }, (_, at) => line(at))
  const { page, wrong } = await stage.open('/sites/import')
  await page.getByLabel('Or paste CSV').fill(`url,username,application_password,name\n${lines.join('\n')}\n`)
  await page.getByRole('button', { name: 'Connect them' }).click()
  await page.getByText('20 connected · 4 refused', { exact: false }).waitFor()
  const results = page.getByRole('region', { name: 'Lines' })
  const mistaken = results.getByRole('group').filter({ hasText: 'The line has a mistake' })
  await mistaken.getByText('Site 3', { exact: true }).waitFor()
  expect(await mistaken.getByRole('listitem').count()).toBe(1)
  const refused = results.getByRole('group').filter({ hasText: 'Site 15' })
  expect(await refused.getByRole('listitem').count()).toBe(3)
  // A word of the sentence, which the first of them has for its name, stays.
  expect(await refused.locator('summary').textContent()).toContain('application password')
  await page.getByRole('searchbox', { name: 'Search' }).fill('site 15')
  await expect.poll(() => results.getByRole('listitem').count()).toBe(1)
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download them (CSV)' }).click()
  const file = await text(await (await download).createReadStream())
  expect(file.trim().split('\n')).toEqual([
    'url,username,application_password,name',
    ...lines.filter((_, at) => at === 3 || isWrong(at)),
  ])

  const typed = page.getByLabel('Or paste CSV')
  await typed.fill((await typed.inputValue()).replaceAll('wrong', 'right').replace(',,', ',u3,'))
  await page.getByRole('button', { name: 'Connect them' }).click()
  await page.getByText('4 of 4 · 4 connected').waitFor()
  expect(await typed.count()).toBe(0)
  expect(wrong).toEqual([])
  await site.close()
})

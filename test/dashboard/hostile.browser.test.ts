import { afterAll, beforeAll, expect, it } from 'vitest'
import { everyView, openView } from './every-view.ts'
import { type Stage, startStage } from './stage.ts'

// Names and titles come from outside. Wherever the page shows them, they stay text.

const hostile = `"><img src=x onerror="window.got='img'"><script>window.got='script'</script><style>*{display:none}</style><iframe srcdoc="<b>"></iframe><form action=//x.test>{{7*7}}javascript:alert(1)`

let stage: Stage
beforeAll(async () => {
  stage = await startStage({ sites: 6, deliveries: 40, told: true })
  await stage.pool.query('UPDATE site SET name = $1, labels = ARRAY[$1]', [hostile])
  await stage.pool.query(
    `UPDATE site SET trouble = jsonb_build_object('code', 'unreachable', 'message', $1::text) WHERE trouble IS NOT NULL`,
    [hostile],
  )
  await stage.pool.query(
    `UPDATE delivery SET title = $1, error = CASE WHEN error IS NOT NULL THEN error || jsonb_build_object('message', $1::text) END`,
    [hostile],
  )
  await stage.pool.query('UPDATE account SET name = $1', [hostile])
})
afterAll(() => stage.stop())

/** What the page says, and what came to be out of a name. */
const looked = `({
  said: document.body.textContent,
  got: window.got ?? null,
  made: document.querySelectorAll('img[src="x"], iframe, body style:not(:empty), form[action*="x.test"]').length,
})`

it.each(everyView)('$name', async (view) => {
  const { page, wrong } = await openView(stage, view, {
    context: { viewport: { width: 1440, height: 900 } },
  })
  const { said, got, made } = (await page.evaluate(looked)) as { said: string; got: unknown; made: number }
  expect({ got, made, wrong }).toEqual({ got: null, made: 0, wrong: [] })
  if (view.key === undefined) expect(said).toContain(hostile)
  await page.close()
})

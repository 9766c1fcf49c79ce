import { expect, onTestFinished, test } from 'vitest'
import { GenerationError } from '../../../src/generation/failure.ts'
import type { Provider } from '../../../src/generation/providers/types.ts'
import { image } from '../requests.ts'
import { startStage } from './stage.ts'

const refused = () =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    action: 'owner',
    message: 'It does not accept the key.',
  })

test('a provider that refuses the key is left alone after one request', async () => {
  let asked = 0
  const candidates: Provider[] = ['refuses', 'works'].map((name) => ({ name, model: 'm' }))
  const stage = await startStage({
    image: async (run) => {
      const { body } = await run.answer(
        { step: 'images', name: 'picture' },
        candidates,
        async ({ name, model }) => {
          if (name === 'works') return { provider: name, model, body: name }
          asked += 1
          throw refused()
        },
      )
      return { url: String(body) }
    },
  })
  onTestFinished(() => stage.stop())
  const id = await stage.create('image', image('a boat on a lake'))
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'works' } })
  const { rows } = await stage.pool.query(
    'SELECT name, trouble FROM generation_provider WHERE trouble IS NOT NULL',
  )
  expect(rows).toMatchObject([{ name: 'refuses', trouble: { message: 'It does not accept the key.' } }])
  expect(asked).toBe(1)
})

import type { JobKind, RequestByKind } from '../../../src/contract/generation/requests.ts'
import type { Answered, Asked, TestApp } from '../../http/app.ts'

/** The least that each kind of job can be asked for with. */
export const least = {
  document: { prompt: 'How tides come about' },
  audio: { text: 'The sea rises and falls.' },
  image: { prompt: 'A harbour at low water' },
} as const

export const kinds = ['document', 'audio', 'image'] as const satisfies readonly JobKind[]

/** Asks for a job with the least and what is given beside it; `undefined` takes a member away. */
export const create = (
  app: TestApp,
  kind: JobKind,
  body: object = {},
  asked: Asked = {},
): Promise<Answered> => app.ask('POST', `/v1/${kind}/create`, { body: { ...least[kind], ...body }, ...asked })

/** What became of an accepted request, with every default. */
export async function stored<Kind extends JobKind>(
  app: TestApp,
  kind: Kind,
  body: object = {},
): Promise<RequestByKind[Kind]> {
  const answer = await create(app, kind, body)
  if (answer.status !== 202) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  const { rows } = await app.database.pool.query('SELECT request FROM generation_job WHERE id = $1', [
    answer.body.id,
  ])
  return rows[0].request
}

/** The fields that a refusal names; undefined where the request was accepted. */
export async function refused(
  app: TestApp,
  kind: JobKind,
  body: object,
): Promise<Record<string, string> | undefined> {
  const { status, body: answer } = await create(app, kind, body)
  if (status === 202) return undefined
  if (status !== 422 || answer.error.code !== 'INVALID_REQUEST')
    throw new Error(`${status} ${JSON.stringify(answer)}`)
  return Object.fromEntries(
    answer.error.details.map(({ path, message }: { path: string; message: string }) => [path, message]),
  )
}

/** Whether a request is accepted, and if not, which fields are refused. */
export const verdict = async (app: TestApp, kind: JobKind, body: object): Promise<'accepted' | string[]> => {
  const fields = await refused(app, kind, body)
  return fields === undefined ? 'accepted' : Object.keys(fields)
}

/** `{text: {length: 5}}` of `text.length` and 5. */
export const nested = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object

import { jsonOf } from './api.ts'
import { excerpt, type Findings } from './findings.ts'
import type { WireAnswer, WireRequest } from './wire.ts'
import type { World } from './world.ts'

/**
 * The codes with which a 503 may be answered while the database is there: whoever asks too much at once is told to come
 * again.
 */
const BUSY = new Set(['MEMORY_BUSY'])

export interface Judged {
  answer: WireAnswer
  label: string
  request: Pick<WireRequest, 'method' | 'target'>
  /** Whether every well-behaved server has to say something to it. */
  wellFormed: boolean
}

/** A place in the program, a frame of its stack, a statement, a library. */
const INSIDE = /node_modules|\bat \S+ \([^)]*:\d+\)|\/src\/\w+\/|SELECT .* FROM|prisma/i

/** What every answer must be, whatever was asked. */
export function judge({ secrets, canary }: World, findings: Findings, judged: Judged): void {
  const { answer, label, request, wellFormed } = judged
  const { status, head, body } = answer
  const wrong = (what: string) => findings.add(what, `${label} → ${excerpt(body, 200)}`)
  if (status === null) {
    if (wellFormed) wrong('no answer')
    return
  }
  if (status >= 500 && !mayBe(answer)) wrong(`answered ${status}`)
  if (!showsWhatItMade(request, status))
    for (const secret of secrets.within(`${head}\n${body}`))
      if (!ownLink(secrets, request.target, secret)) wrong(`an answer has ${secret}`)
  if (`${head}${body}`.includes(canary)) wrong('an answer shows what belongs to another account')
  if (/^x-injected/im.test(head)) wrong('a header was injected')
  if (/(?:href|src|action)=["']?\s*javascript:/i.test(body)) wrong('a page leads to a script')
  const inside = INSIDE.exec(body)
  if (inside) wrong(`an answer shows the inside (${inside[0]})`)
}

/**
 * 5xx that are meant: a page for the owner of a site that cannot be reached just now, "come again", and that this Galley has
 * no provider for what was ordered, which waiting does not change.
 */
function mayBe(answer: WireAnswer): boolean {
  const page = /^content-type: text\/html/im.test(answer.head)
  if (page)
    return (answer.status === 502 || answer.status === 503) && answer.body.includes('This did not work')
  if (answer.status !== 503) return false
  const error = jsonOf(answer).error as { code?: string; details?: { settings?: string[] } } | undefined
  if (error?.code === 'PROVIDER_NOT_CONFIGURED') return (error.details?.settings?.length ?? 0) > 0
  return error?.code !== undefined && BUSY.has(error.code) && /^retry-after: /im.test(answer.head)
}

/** What is made is shown once, to whoever made it. */
const showsWhatItMade = ({ method }: Judged['request'], status: number): boolean =>
  method !== 'GET' && status >= 200 && status < 300

/** The pages of a connect link lead to each other. */
const ownLink = (secrets: World['secrets'], target: string, secret: string): boolean =>
  /^(?:https?:\/\/[^/]*)?\/connect\//.test(target) &&
  secrets.within(target.replace(/\?.*/s, '')).includes(secret)

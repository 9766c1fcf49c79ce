import type { BulkJob } from '../../client/api.ts'
import { exitCodes } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'
import type { Session } from '../session.ts'
import { until } from '../wait.ts'

/** A job with its report. */
export const reported = (session: Session, job: BulkJob): string =>
  session.facts([
    ['id', job.id],
    ['action', `${job.action}${job.dry_run ? ', dry run' : ''}`],
    ['filter', JSON.stringify(job.filter)],
    ['status', job.status],
    ['matched', job.matched],
    ['done', job.done],
    ['skipped', job.skipped],
    ['failed', job.failed],
  ]) +
  (job.reasons.length === 0
    ? ''
    : `\n${session.table(job.reasons, [
        { head: 'COUNT', value: ({ count }) => count, whole: true },
        { head: 'OUTCOME', value: ({ outcome }) => outcome, whole: true },
        { head: 'WHY', value: ({ message }) => message },
      ])}`)

/** Until a job has ended. @throws CommandFailure where not everything was done */
export async function watchBulk(session: Session, uuid: string): Promise<void> {
  const answer = await until(session, async () => {
    const looked = await session.call('getBulk', { path: { uuid } })
    const { matched, done, skipped, failed, ended_at, status } = looked.data
    const said = `${status}: ${done} of ${matched}, skipped ${skipped}, failed ${failed}`
    return { said, end: ended_at === null ? undefined : looked }
  })
  await session.show(answer, () => reported(session, answer.data))
  const { status, failed } = answer.data
  if (status === 'done' && failed === 0) return
  const message =
    status === 'done'
      ? `Failed: ${failed}. "galley bulk items ${uuid} --outcome failed" names them.`
      : `The job is ${status}.`
  throw new CommandFailure(exitCodes.notAsAsked, 'bulk_incomplete', message)
}

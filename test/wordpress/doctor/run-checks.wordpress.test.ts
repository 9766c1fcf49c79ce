import { describe, expect, it } from 'vitest'
import { findRegressions } from '../../../src/wordpress/doctor/report.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { clientAs } from '../site.ts'
import { everything, line } from './lines.ts'

describe('examining a sound site', () => {
  let report: ReturnType<typeof runChecks> | undefined
  const asEditor = () => (report ??= runChecks(clientAs('editor')))

  it('finds no problem, says what each thing means, and leaves nothing behind', async () => {
    const before = await everything()
    const { findings, level, abilities } = await asEditor()
    expect(await everything()).toEqual(before)
    expect(level).toBe('warning')
    for (const { check, level, seen, means, todo } of findings) {
      expect({ check, level, says: seen.length > 10 && means.length > 10, todo: todo !== null }).toEqual({
        check,
        level: expect.stringMatching(/^(ok|warning)$/),
        says: true,
        todo: level !== 'ok',
      })
    }
    expect(abilities).toMatchObject({ seoField: null, requiredFields: [] })
  })

  it('tells a contributor beforehand what will not be possible; that is news to an editor', async () => {
    const editor = await asEditor()
    const contributor = await runChecks(clientAs('contributor'))
    expect(line(contributor.findings, 'right_to_publish')?.seen).toContain('may not publish')
    expect(line(contributor.findings, 'right_to_create_categories')?.seen).toContain(
      'may not create categories',
    )
    expect(line(contributor.findings, 'right_to_upload')?.seen).toContain('is not allowed to upload files')
    for (const check of ['own_answers', 'slugs', 'statuses', 'block_markup', 'cleanup'] as const)
      expect(line(contributor.findings, check), check).toMatchObject({ level: 'ok' })
    expect(findRegressions(editor.findings, contributor.findings).map(({ check }) => check)).toEqual([
      'right_to_publish',
      'right_to_create_categories',
      'right_to_upload',
    ])
    expect(findRegressions(contributor.findings, editor.findings)).toEqual([])
    expect(findRegressions(editor.findings, editor.findings)).toEqual([])
  })

  it('ends where a subscriber may not even edit', async () => {
    const { findings, level, abilities } = await runChecks(clientAs('subscriber'))
    expect({ level, abilities }).toEqual({ level: 'problem', abilities: null })
    expect(line(findings, 'post_type')?.seen).toContain('is not allowed to')
  })
})

import { describe, expect, it } from 'vitest'
import { checkRequiredFields } from '../../../src/wordpress/doctor/checks/post-type.ts'
import { readPostSchema } from '../../../src/wordpress/schema.ts'
import { clientAs } from '../site.ts'
import { misbehaving } from './misbehaving.ts'

const posts = { postType: 'posts' }

describe('fields that editors must fill in', () => {
  it('cannot be told of where Advanced Custom Fields does not show their group, and the setting is named', async () => {
    const schema = await readPostSchema(await misbehaving('hidden-fields'), posts)
    expect(checkRequiredFields(schema)).toMatchObject({
      level: 'ok',
      seen: expect.stringMatching(/is there.*“Show in REST API” is off, this check cannot tell/),
      means: expect.stringContaining('ACF → Field Groups'),
    })
  })

  it('are not all of them, it may be, where some are shown', async () => {
    const schema = await readPostSchema(await misbehaving('required-fields'), posts)
    expect(checkRequiredFields(schema)).toMatchObject({
      level: 'warning',
      seen: expect.stringMatching(/subtitle, region\. .*cannot tell/),
    })
  })

  it('are no line of the report where that plugin is not there', async () => {
    expect(checkRequiredFields(await readPostSchema(clientAs('editor'), posts))).toBeNull()
  })
})

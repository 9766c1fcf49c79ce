import { describe, expect, it } from 'vitest'
import { mergeSettings, siteSettingsPatchSchema, siteSettingsSchema } from '../../src/sites/settings.ts'

describe('the settings of a site', () => {
  it('are complete when none was ever set', () => {
    expect(siteSettingsSchema.parse({})).toMatchObject({
      format: 'auto',
      post_type: 'posts',
      author: null,
      term_policy: 'create',
      picture_policy: 'keep_remote',
      on_changed_post: 'hold',
      concurrency: 2,
      batch: 'auto',
      render: { top_heading_level: 2 },
    })
  })

  it('fill in what a later version added, and forget what it took away', () => {
    const stored = { format: 'classic', taken_away: true, render: { image_size: 'full' } }
    expect(siteSettingsSchema.parse(stored)).toMatchObject({
      format: 'classic',
      render: { image_size: 'full', image_link: 'none' },
    })
    expect(siteSettingsSchema.parse(stored)).not.toHaveProperty('taken_away')
  })

  it('change by field, and leave the others unset so that their defaults may still change', () => {
    const patch = siteSettingsPatchSchema.parse({ concurrency: 4, render: { image_size: 'full' } })
    expect(patch).toEqual({ concurrency: 4, render: { image_size: 'full' } })
    const stored = { format: 'classic', render: { image_link: 'media' } } as const
    expect(mergeSettings(stored, patch)).toEqual({
      format: 'classic',
      concurrency: 4,
      render: { image_link: 'media', image_size: 'full' },
    })
  })

  it.each([
    [{ concurrency: 0 }],
    [{ concurrency: 9 }],
    [{ batch: 'on' }],
    [{ author: 1 }],
    [{ post_type: 'posts/../users' }],
    [{ default_categories: [''] }],
    [{ colour: 'red' }],
    [{ render: { colour: 'red' } }],
    [
      {
        category_aliases: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`name ${i}`, 'News'])),
      },
    ],
  ])('refuse %j', (patch) => {
    expect(siteSettingsPatchSchema.safeParse(patch).success).toBe(false)
  })

  it('refuse aliases whose names are too long in all', () => {
    const names = Array.from({ length: 300 }, (_, i) => [`${i} ${'n'.repeat(190)}`, 'News'])
    const settings = { category_aliases: Object.fromEntries(names) }
    const { error } = siteSettingsPatchSchema.safeParse(settings)
    expect(error?.issues).toMatchObject([
      { path: ['category_aliases'], message: 'must have at most 50000 characters in all names together' },
    ])
  })

  it('say a word of a link once, however often a request does', () => {
    const words = Array.from({ length: 100_000 }, () => 'ugc' as const)
    expect(siteSettingsPatchSchema.parse({ render: { outside_link_rel: words } })).toEqual({
      render: { outside_link_rel: ['ugc'] },
    })
  })

  it('describe each field for the API', () => {
    for (const [name, field] of Object.entries(siteSettingsPatchSchema.shape))
      expect(`${name}: ${field.description ?? ''}`).toMatch(/: .{10}/)
  })
})

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Site } from '../../../api/client.ts'
import { useMay } from '../../../app/session-context.ts'
import { Fact, Facts } from '../../../components/facts.tsx'
import { labelText } from '../../../components/label-text.ts'
import { Labels } from '../../../components/labels.tsx'
import { postTypeInWords } from '../../../components/post-words.ts'
import { settingChoices } from '../../../components/site-settings.tsx'
import { choicesQuery } from '../../../data/sites.ts'
import { SettingsForm } from './form.tsx'

/** How a site wants its posts; changed with the names that the site itself has. */
export function Settings({ site }: { site: Site }) {
  const mayChange = useMay('sites.change')
  const { change } = useSearch({ strict: false }) as Record<string, string>
  // What others lead to by the address.
  const [changing, setChanging] = useState(mayChange && change === 'settings')
  const choices = useQuery({ ...choicesQuery(site.id), enabled: changing })
  return (
    <section className="g-card g-section">
      <h2>{__('Settings', 'galley')}</h2>
      {!changing && <InWords site={site} />}
      {mayChange && !changing && (
        <p className="g-actions">
          <button type="button" className="g-button" onClick={() => setChanging(true)}>
            {__('Change the settings', 'galley')}
          </button>
        </p>
      )}
      {changing && choices.isPending && <p role="status">{__('Asking the site what it has…', 'galley')}</p>}
      {changing && !choices.isPending && (
        <SettingsForm
          site={site}
          choices={choices.data}
          failure={choices.error}
          onDone={() => setChanging(false)}
        />
      )}
    </section>
  )
}

function InWords({ site: { labels, settings } }: { site: Site }) {
  const { post_type, author, default_categories, fallback_category, language } = settings
  return (
    <Facts>
      <Fact label={__('Labels', 'galley')}>
        {labels.length === 0 ? __('none', 'galley') : <Labels labels={labels} />}
      </Fact>
      <Fact label={__('Documents become', 'galley')}>{postTypeInWords(post_type)}</Fact>
      <Fact label={__('Author', 'galley')}>{author ?? __('The user that Galley writes as', 'galley')}</Fact>
      {default_categories.length > 0 && (
        <Fact label={__('Categories of a document that names none', 'galley')}>
          {labelText(default_categories)}
        </Fact>
      )}
      {fallback_category && (
        <Fact label={__('Category in place of a missing one', 'galley')}>{fallback_category}</Fact>
      )}
      {language && <Fact label={__('Language', 'galley')}>{language}</Fact>}
      {(Object.keys(settingChoices) as (keyof typeof settingChoices)[]).map((name) => {
        const { label, options } = settingChoices[name]
        return (
          <Fact key={name} label={label()}>
            {(options as Record<string, () => string>)[settings[name]]?.() ?? settings[name]}
          </Fact>
        )
      })}
    </Facts>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Site, type SiteChoices } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { Checkbox, Choice, changed, Field, Form, Select } from '../../components/form.tsx'
import { labelsHelp, labelsIn, labelText } from '../../components/label-text.ts'
import { Labels } from '../../components/labels.tsx'
import { postTypeInWords } from '../../components/post-words.ts'
import { SettingSelects, settingChoices } from '../../components/site-settings.tsx'
import { describeError } from '../../components/states.tsx'
import { choicesQuery } from '../../data/sites.ts'

/** The settings of a site, with the names that the site has. */
export function Settings({ site }: { site: Site }) {
  const mayChange = useMay('sites.change')
  const { change } = useSearch({ strict: false }) as Record<string, string>
  // Linked to by others.
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

interface SettingsFormProps {
  site: Site
  /** The site's choices; undefined when it could not be asked. */
  choices: SiteChoices | undefined
  /** Why not. */
  failure: unknown
  onDone(): void
}

/** A form for the name, labels and settings of a site. Only changes are sent. Galley checks them with the site. */
function SettingsForm({ site: live, choices, failure, onDone }: SettingsFormProps) {
  // The values when the form was opened: changes by others stay.
  const [site] = useState(live)
  const queryClient = useQueryClient()
  const notice = useNotice()
  const [name, setName] = useState(site.name)
  const [labels, setLabels] = useState(labelText(site.labels))
  const [settings, setSettings] = useState(site.settings)
  const change = (changes: Partial<Site['settings']>) => setSettings({ ...settings, ...changes })
  const save = useMutation({
    mutationFn: () =>
      call('updateSite', {
        path: { uuid: site.id },
        body: {
          ...changed(site, { name: name.trim(), labels: labelsIn(labels) }),
          settings: changed(site.settings, settings),
        },
      }),
    onSuccess: () => {
      notice({ text: __('The settings are stored.', 'galley') })
      onDone()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sites'] }),
  })
  const { post_types = [], authors = [], categories = [], languages = [] } = choices ?? {}
  const none = { '': __('None', 'galley') }
  return (
    <Form
      submit={save.isPending ? __('Asking the site…', 'galley') : __('Save', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => save.mutate()}
      onCancel={onDone}
    >
      {failure != null && (
        <p className="g-field-error" role="alert">
          {__('The site did not say what it has:', 'galley')} {describeError(failure).text}
        </p>
      )}
      <Field
        label={__('Name', 'galley')}
        value={name}
        onChange={setName}
        failure={save.error}
        path="body.name"
      />
      <Field
        label={__('Labels', 'galley')}
        help={labelsHelp()}
        value={labels}
        onChange={setLabels}
        failure={save.error}
        path="body.labels"
      />
      <Select
        label={__('Documents become', 'galley')}
        value={settings.post_type}
        onChange={(post_type) => change({ post_type })}
        options={among(site.settings.post_type, post_types)}
      />
      <Select
        label={__('Author', 'galley')}
        value={settings.author ?? ''}
        onChange={(author) => change({ author: author === '' ? null : author })}
        options={{
          '': __('The user that Galley writes as', 'galley'),
          ...among(site.settings.author, authors.map(asNamed)),
        }}
      />
      <Choice legend={__('Categories of a document that names none', 'galley')}>
        <div className="g-choice-list">
          {[...new Set([...site.settings.default_categories, ...categories])].map((category) => (
            <Checkbox
              key={category}
              label={category}
              checked={settings.default_categories.includes(category)}
              onChange={(checked) => {
                const others = settings.default_categories.filter((one) => one !== category)
                change({ default_categories: checked ? [...others, category] : others })
              }}
            />
          ))}
        </div>
      </Choice>
      <Select
        label={__('Category in place of a missing one', 'galley')}
        value={settings.fallback_category ?? ''}
        onChange={(category) => change({ fallback_category: category === '' ? null : category })}
        options={{ ...none, ...among(site.settings.fallback_category, categories.map(asNamed)) }}
      />
      {(languages.length > 0 || settings.language !== null) && (
        <Select
          label={__('Language', 'galley')}
          value={settings.language ?? ''}
          onChange={(language) => change({ language: language === '' ? null : language })}
          options={{
            '': __('That of the site', 'galley'),
            ...among(site.settings.language, languages),
          }}
        />
      )}
      <SettingSelects
        settings={settings}
        onChange={(chosen) => setSettings({ ...settings, ...chosen } as typeof settings)}
      />
    </Form>
  )
}

interface Named {
  value: string
  name: string
}

const asNamed = (name: string): Named => ({ value: name, name })

/** The options, with the current value, which the site may have lost. */
const among = (now: string | null, offered: Named[]): Record<string, string> =>
  Object.fromEntries([
    ...(now === null ? [] : [[now, now]]),
    ...offered.map(({ value, name }) => [value, name]),
  ])

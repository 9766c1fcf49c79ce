import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { formatLabels, parseLabels } from '../../../../src/lib/label-list.ts'
import { call, type Operations, type Site, type SiteChoices } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Checkbox, Choice, changed, Field, Form, Select } from '../../components/form.tsx'
import { Group } from '../../components/group.tsx'
import { labelsHelp } from '../../components/label-text.ts'
import { Labels } from '../../components/labels.tsx'
import { inputsOf, namesSet, valuesOf } from '../../components/post-fields/inputs.ts'
import { FieldFacts, Fields, formsOf, MoreFields } from '../../components/post-fields/post-fields.tsx'
import { postFieldForms, siteDefaultFields, siteNameForms } from '../../components/post-fields/table.ts'
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
          <Button onClick={() => setChanging(true)}>{__('Change the settings', 'galley')}</Button>
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

const embedsLabel = () => __('Show an address alone in a paragraph as its player', 'galley')

const publicCheckLabel = () => __('Look at published posts as a visitor would', 'galley')

function InWords({ site: { labels, owner_email, settings } }: { site: Site }) {
  const { post_type, author, default_categories, fallback_category, language } = settings
  return (
    <Facts>
      <Fact label={__('Labels', 'galley')}>
        {labels.length === 0 ? __('none', 'galley') : <Labels labels={labels} />}
      </Fact>
      {owner_email && <Fact label={__('E-mail of the owner', 'galley')}>{owner_email}</Fact>}
      <Fact label={__('Documents become', 'galley')}>{postTypeInWords(post_type)}</Fact>
      <Fact label={__('Author', 'galley')}>{author ?? __('The user that Galley writes as', 'galley')}</Fact>
      {default_categories.length > 0 && (
        <Fact label={__('Categories of a document that names none', 'galley')}>
          {formatLabels(default_categories)}
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
      <Fact label={embedsLabel()}>
        {settings.render.embed_addresses ? __('Yes', 'galley') : __('No', 'galley')}
      </Fact>
      <Fact label={publicCheckLabel()}>
        {settings.public_check ? __('Yes', 'galley') : __('No', 'galley')}
      </Fact>
      <FieldFacts forms={siteNameForms} values={{ ...settings }} />
      <FieldFacts forms={formsOf(siteDefaultFields)} values={settings.defaults} />
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

type SitePatch = Operations['updateSite']['body']

/** What takes a change back: the values that the site had. */
function asBefore(
  site: Site,
  { settings: { render = {}, ...settings } = {}, ...others }: SitePatch,
): SitePatch {
  const had = (from: object, changes: object) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => name in changes))
  return {
    ...had(site, others),
    settings: { ...had(site.settings, settings), render: had(site.settings.render, render) },
  }
}

/** A form for the name, labels and settings of a site. Only changes are sent. Galley checks them with the site. */
function SettingsForm({ site: live, choices, failure, onDone }: SettingsFormProps) {
  // The values when the form was opened: changes by others stay.
  const [site] = useState(live)
  const queryClient = useQueryClient()
  const notice = useNotice()
  const [name, setName] = useState(site.name)
  const [labels, setLabels] = useState(formatLabels(site.labels))
  const [ownerEmail, setOwnerEmail] = useState(site.owner_email ?? '')
  const [settings, setSettings] = useState(site.settings)
  const { render, ...others } = settings
  const [defaults, setDefaults] = useState(() => inputsOf(postFieldForms, site.settings.defaults))
  const [names, setNames] = useState(() => inputsOf(siteNameForms, { ...site.settings }))
  const change = (changes: Partial<Site['settings']>) => setSettings({ ...settings, ...changes })
  const typed = () => ({
    ...changed(site, {
      name: name.trim(),
      labels: parseLabels(labels),
      owner_email: ownerEmail.trim() || null,
    }),
    settings: {
      ...changed(site.settings, {
        ...others,
        ...emptyNames,
        ...valuesOf(siteNameForms, names, { ...site.settings }),
        defaults: valuesOf(postFieldForms, defaults, site.settings.defaults),
      }),
      render: changed(site.settings.render, render),
    },
  })
  const store = (body: SitePatch) => call('updateSite', { path: { uuid: site.id }, body })
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['sites'] })
  const undo = useMutation({
    mutationFn: (stored: SitePatch) => store(asBefore(site, stored)),
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled,
  })
  const save = useMutation({
    mutationFn: store,
    onSuccess: (_answer, stored) => {
      const action = { label: __('Undo', 'galley'), run: () => undo.mutate(stored) }
      notice({ text: __('The settings are stored.', 'galley'), action })
      onDone()
    },
    onSettled,
  })
  const { post_types = [], authors = [], categories = [], languages = [] } = choices ?? {}
  const none = { '': __('None', 'galley') }
  return (
    <Form
      submit={save.isPending ? __('Asking the site…', 'galley') : __('Save', 'galley')}
      mutation={{ ...save, mutate: () => save.mutate(typed()) }}
      incomplete={name.trim() === ''}
      onCancel={onDone}
    >
      {failure != null && (
        <p className="g-field-error" role="alert">
          {__('The site did not say what it has:', 'galley')} {describeError(failure).text}
        </p>
      )}
      <Field label={__('Name', 'galley')} value={name} onChange={setName} path="body.name" />
      <Field
        label={__('Labels', 'galley')}
        help={labelsHelp()}
        value={labels}
        onChange={setLabels}
        path="body.labels"
      />
      <Field
        label={__('E-mail of the owner', 'galley')}
        help={__('Receives a link when the site must be connected again.', 'galley')}
        value={ownerEmail}
        onChange={setOwnerEmail}
        type="email"
        path="body.owner_email"
      />
      <Select
        label={__('Documents become', 'galley')}
        guide="api.md#how-a-site-wants-its-posts"
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
      <Checkbox
        label={embedsLabel()}
        help={__('As of YouTube, Vimeo, X or Spotify. Otherwise it stays text.', 'galley')}
        checked={render.embed_addresses}
        onChange={(embed_addresses) => change({ render: { ...render, embed_addresses } })}
      />
      <Checkbox
        label={publicCheckLabel()}
        help={__('Warns when visitors do not see the post as it should be.', 'galley')}
        checked={settings.public_check}
        onChange={(public_check) => change({ public_check })}
      />
      <Group
        title={__('Names on this site', 'galley')}
        chosen={namesSet(siteNameForms, names) || __('authors, categories, terms', 'galley')}
        paths={Object.keys(siteNameForms).map((one) => `body.settings.${one}`)}
      >
        <Fields forms={siteNameForms} inputs={names} onChange={setNames} path="body.settings" />
      </Group>
      <MoreFields
        title={__('What a document gets that leaves it out', 'galley')}
        names={siteDefaultFields}
        inputs={defaults}
        onChange={setDefaults}
        path="body.settings.defaults"
      />
    </Form>
  )
}

/** None of what {@link siteNameForms} asks for. */
const emptyNames = Object.fromEntries(Object.keys(siteNameForms).map((name) => [name, {}]))

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

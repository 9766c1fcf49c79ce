<?php
/*
 * Must-use plugin for the tests: makes WordPress misbehave for the one request that asks for it by the header
 * X-Galley-Test, as plugins and broken sites do for every request. Without the header it does nothing.
 */
(function () {
  // `WHAT` or `WHAT:WORD`, where the word keeps what is remembered apart from other tests'.
  [$asked, $word] = explode(':', ($_SERVER['HTTP_X_GALLEY_TEST'] ?? '') . ':');
  $when = function ($what, $act) use ($asked) {
    if ($asked === $what) {
      $act();
    }
  };

  $when('slow', function () {
    sleep(1);
  });
  // A post type with what register_post_type supports by default, which is no excerpt.
  $when('notes', function () {
    add_action('init', function () {
      register_post_type('note', [
        'label' => 'Notes',
        'public' => true,
        'show_in_rest' => true,
        'rest_base' => 'notes',
        'taxonomies' => ['category', 'post_tag'],
      ]);
    });
  });
  // A plugin that asks for the user early: only then does WordPress report why a password was refused.
  $when('early-user', function () {
    add_filter('rest_authentication_errors', function ($errors) {
      wp_get_current_user();
      return $errors;
    }, 1);
  });
  $when('no-application-passwords', function () {
    add_filter('wp_is_application_passwords_available', '__return_false');
  });
  $when('not-for-this-user', function () {
    add_filter('wp_is_application_passwords_available_for_user', '__return_false');
    add_filter('rest_authentication_errors', function ($errors) {
      wp_get_current_user();
      return $errors;
    }, 1);
  });
  $when('members-only', function () {
    add_filter('rest_authentication_errors', function () {
      return new WP_Error('rest_login_required', 'REST API restricted to members.', ['status' => 401]);
    }, 1000);
  });
  $when('members-only-visitors', function () {
    add_filter('rest_authentication_errors', function ($errors) {
      return is_user_logged_in() ? $errors : new WP_Error('rest_login_required', 'Members only.', ['status' => 401]);
    }, 1000);
  });
  $when('notice', function () {
    add_action('init', function () {
      echo "<br />\n<b>Warning</b>:  Undefined array key in <b>a.php</b> on line <b>3</b><br />\n";
    });
  });
  $when('fatal', function () {
    add_action('rest_api_init', function () {
      galley_calls_what_is_not_there();
    });
  });
  $when('fails-after-insert', function () {
    add_action('rest_after_insert_post', function () {
      galley_calls_what_is_not_there();
    });
  });
  // Runs out of memory while the sub-sizes are made: the attachment is there by then.
  $when('fails-while-resizing', function () {
    add_filter('intermediate_image_sizes_advanced', function ($sizes) {
      if (strpos($_SERVER['REQUEST_URI'], 'post-process') === false) {
        galley_calls_what_is_not_there();
      }
      return $sizes;
    });
  });
  $when('seo', function () {
    add_action('init', function () {
      register_post_meta('post', '_yoast_wpseo_metadesc', [
        'type' => 'string',
        'single' => true,
        'show_in_rest' => true,
        'auth_callback' => '__return_true',
      ]);
    });
  });

  // WP REST API Cache answers POST from its cache as well, by address.
  $cachePosts = function ($addressOf) use ($word) {
    $key = function ($request) use ($addressOf, $word) {
      return 'galley_test_' . md5($word . $addressOf($request));
    };
    add_filter('rest_pre_dispatch', function ($result, $server, $request) use ($key) {
      $kept = $request->get_method() === 'POST' ? get_transient($key($request)) : false;
      return $kept === false ? $result : new WP_REST_Response($kept, 201);
    }, 10, 3);
    add_filter('rest_post_dispatch', function ($response, $server, $request) use ($key) {
      if ($request->get_method() === 'POST' && !$response->is_error()) {
        set_transient($key($request), $server->response_to_data($response, false), 300);
      }
      return $response;
    }, 10, 3);
  };
  $when('caches-post', function () use ($cachePosts) {
    $cachePosts(function () {
      return $_SERVER['REQUEST_URI'];
    });
  });
  // One that does not even look at the query.
  $when('caches-post-by-route', function () use ($cachePosts) {
    $cachePosts(function ($request) {
      return $request->get_route();
    });
  });
  // As Regenerate Post Slug: the slug follows the title, with every save.
  $when('rewrites-slugs', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      if ($data['post_type'] === 'post' && $data['post_title'] !== '') {
        $data['post_name'] = wp_unique_post_slug(
          sanitize_title($data['post_title']), $given['ID'] ?? 0, 'publish', 'post', 0
        );
      }
      return $data;
    }, 10, 2);
  });
  // As Disable Media Pages.
  $when('renames-attachments', function () {
    add_filter('wp_unique_post_slug', function ($slug, $id, $status, $type) {
      return $type === 'attachment' ? str_replace('-', '', wp_generate_uuid4()) : $slug;
    }, 10, 4);
  });
  // Protected meta, registered without auth_callback: refused after the post was saved.
  $when('refuses-meta', function () {
    add_action('init', function () {
      register_post_meta('post', '_yoast_wpseo_metadesc', ['type' => 'string', 'single' => true, 'show_in_rest' => true]);
    });
  });
  $status = function ($from, $to) {
    add_filter('wp_insert_post_data', function ($data) use ($from, $to) {
      if ($data['post_type'] === 'post' && $data['post_status'] === $from && $data['post_content'] !== '') {
        $data['post_status'] = $to;
      }
      return $data;
    });
  };
  $when('forbids-publishing', function () use ($status) {
    $status('publish', 'draft');
  });
  $when('publishes-drafts', function () use ($status) {
    $status('draft', 'publish');
  });
  // As Require Featured Image: asks it of whoever does not come from the editor.
  $when('exempts-the-editor', function () use ($status) {
    if (($_GET['_locale'] ?? '') !== 'user') {
      $status('publish', 'draft');
    }
  });
  $content = function ($change) {
    add_filter('wp_insert_post_data', function ($data) use ($change) {
      if ($data['post_type'] === 'post') {
        $data['post_content'] = $change($data['post_content']);
      }
      return $data;
    });
  };
  $when('drops-text', function () use ($content) {
    $content(function ($text) {
      return substr($text, 0, 20);
    });
  });
  $when('drops-pictures', function () use ($content) {
    $content(function ($text) {
      return preg_replace('/<img[^>]*>/', '', $text);
    });
  });
  // As Edit Flow and PublishPress Statuses: posts begin as a pitch; there are no drafts, and nothing is pending.
  $when('own-statuses', function () use ($status) {
    add_action('init', function () {
      register_post_status('pitch', ['label' => 'Pitch', 'internal' => false, 'protected' => true, 'show_in_admin_all_list' => true]);
      unset($GLOBALS['wp_post_statuses']['pending']);
    }, 99);
    add_filter('rest_post_item_schema', function ($schema) {
      $schema['properties']['status']['enum'] = ['publish', 'future', 'private', 'pitch'];
      return $schema;
    });
    add_filter('wp_insert_post_data', function ($data) {
      if ($data['post_type'] === 'post' && $data['post_status'] === 'draft') {
        $data['post_status'] = 'pitch';
      }
      return $data;
    });
  });
  // As VIP Workflow: a new draft with a slug of its own crashes it.
  $when('crashes-on-slugs', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      if ($data['post_type'] === 'post' && empty($given['ID']) && $data['post_name'] !== '') {
        galley_calls_what_is_not_there();
      }
      return $data;
    }, 10, 2);
  });
  // As Publication Checklist: nothing is published without a featured image, looked for before the request sets it.
  $when('keeps-without-image', function () {
    add_filter('wp_insert_post_data', function ($data, $given) {
      if ($data['post_type'] === 'post' && $data['post_status'] === 'publish' && !has_post_thumbnail($given['ID'] ?? 0)) {
        $data['post_status'] = 'draft';
      }
      return $data;
    }, 10, 2);
  });
  $when('refuses-without-image', function () {
    add_filter('rest_pre_insert_post', function ($post) {
      return ($post->post_status ?? '') === 'publish' && !has_post_thumbnail($post->ID ?? 0)
        ? new WP_Error('checklist_incomplete', 'A featured image is required.', ['status' => 400])
        : $post;
    });
  });
})();

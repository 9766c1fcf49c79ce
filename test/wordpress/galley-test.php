<?php
/*
 * Must-use plugin for the tests: makes WordPress misbehave for the one request that asks for it by the header
 * X-Galley-Test, as plugins and broken sites do for every request. Without the header it does nothing.
 */
(function () {
  $asked = $_SERVER['HTTP_X_GALLEY_TEST'] ?? '';
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
})();

// Starts Swagger UI with the OpenAPI description of this service.
(function () {
  'use strict';

  // Swagger UI fills in the examples and defaults of all parameters, and would send all
  // of them. Only required parameters stay filled in. The examples and defaults of
  // optional parameters are moved to their descriptions.
  function tellInsteadOfFillingIn(parameter) {
    if (!parameter || parameter.$ref || parameter.required) return;
    var notes = [];
    if (parameter.example !== undefined) {
      var text = [].concat(parameter.example).join(', ');
      notes.push('Example: `' + text + '`');
      delete parameter.example;
    }
    if (parameter.schema && parameter.schema.default !== undefined) {
      notes.push('default: `' + parameter.schema.default + '`');
      delete parameter.schema.default;
    }
    if (notes.length) parameter.description = (parameter.description || '').trim() + '\n\n' + notes.join('; ');
  }

  function prepared(spec) {
    spec = JSON.parse(JSON.stringify(spec));
    var shared = (spec.components || {}).parameters || {};
    Object.keys(shared).forEach(function (name) { tellInsteadOfFillingIn(shared[name]); });
    Object.keys(spec.paths || {}).forEach(function (path) {
      Object.keys(spec.paths[path]).forEach(function (method) {
        (spec.paths[path][method].parameters || []).forEach(tellInsteadOfFillingIn);
      });
    });
    if (spec.info && spec.info.description) {
      spec.info.description = spec.info.description.split('https://HOST').join(window.location.origin);
    }
    return spec;
  }

  function withPreparedSpec() {
    return {
      statePlugins: { spec: { wrapActions: {
        updateJsonSpec: function (original) {
          return function (spec) { return original(prepared(spec)); };
        }
      } } }
    };
  }

  // The introduction is long, so each of its sections becomes collapsible. This keeps the
  // operations close to the top.
  function withFoldedTexts(system) {
    var h = system.React.createElement;
    function split(text) {
      var parts = ('\n' + text).split(/\n## /);
      return {
        lead: parts[0].trim(),
        sections: parts.slice(1).map(function (part) {
          var end = part.indexOf('\n');
          return { title: part.slice(0, end).trim(), body: part.slice(end).trim() };
        })
      };
    }
    function folded(Info) {
      return function FoldedInfo(props) {
        var Markdown = props.getComponent('Markdown', true);
        var text = split(props.info.get('description') || '');
        return h('div', null,
          h(Info, Object.assign({}, props, { info: props.info.set('description', text.lead) })),
          h('div', { className: 'topics' }, text.sections.map(function (section, i) {
            return h('details', { key: section.title, id: 'about-' + section.title.toLowerCase().replace(/[^a-z0-9]+/g, '-'), open: i === 0 },
              h('summary', null, section.title), h(Markdown, { source: section.body }));
          })));
      };
    }
    return { wrapComponents: { info: folded } };
  }

  // The filter searches tags, paths, operation IDs and summaries, ignoring case; Swagger
  // UI's own filter searches only tags.
  function withWideFilter() {
    function matching(tagged, phrase) {
      var wanted = phrase.trim().toLowerCase();
      return tagged.map(function (tag, name) {
        if (name.toLowerCase().indexOf(wanted) >= 0) return tag;
        return tag.set('operations', tag.get('operations').filter(function (entry) {
          var op = entry.get('operation');
          return [entry.get('path'), op.get('operationId'), op.get('summary')].join(' ').toLowerCase().indexOf(wanted) >= 0;
        }));
      }).filter(function (tag) { return tag.get('operations').size > 0; });
    }
    return { fn: { opsFilter: matching } };
  }

  function nameFilter() {
    var input = document.querySelector('.operation-filter-input');
    if (!input) return;
    input.placeholder = 'Filter operations';
    input.setAttribute('aria-label', 'Filter operations');
  }

  window.addEventListener('DOMContentLoaded', function () {
    window.SwaggerUIBundle({
      url: '/api/openapi',
      dom_id: '#api',
      presets: [window.SwaggerUIBundle.presets.apis],
      plugins: [withPreparedSpec, withFoldedTexts, withWideFilter],
      layout: 'BaseLayout',
      deepLinking: true,
      displayOperationId: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      defaultModelExpandDepth: 2,
      filter: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
      validatorUrl: null,
      onComplete: nameFilter
    });
  });
}());

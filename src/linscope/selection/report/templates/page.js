(function () {
  "use strict";
  // On a narrow screen the table of contents starts folded.
  var contents = document.querySelector(".contents details");
  if (contents && window.matchMedia("(max-width: 70rem)").matches) contents.open = false;

  document.querySelectorAll("[data-copy]").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var source = document.getElementById(button.dataset.copy);
      var range = document.createRange();
      range.selectNodeContents(source);
      var selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      var done = function () { button.textContent = "Copied"; };
      if (navigator.clipboard) {
        navigator.clipboard.writeText(source.textContent).then(done, function () {});
      } else if (document.execCommand("copy")) {
        done();
      }
    });
  });

  // Paper has nothing to unfold.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = Array.prototype.filter.call(document.querySelectorAll("main details"), function (each) {
      return !each.open;
    });
    folded.forEach(function (each) { each.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (each) { each.open = false; });
  });

  // A link into something folded unfolds it.
  var reveal = function () {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var box = target && target.closest("details");
    if (box) { box.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", reveal);
  reveal();
})();

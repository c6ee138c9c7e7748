;;; eglot.el --- asks pastwork as a user of eglot would  -*- lexical-binding: t -*-
;; emacs -q --no-site-file --batch -l eglot.el ANSWERS FILE SERVER...
;; Writes what Emacs got into ANSWERS as JSON.

(require 'package)
(package-initialize)
(require 'eglot)
(require 'json)

(defun pastwork-until (seconds ask)
  "The first value of ASK that is not nil within SECONDS, or nil."
  (let ((deadline (+ (float-time) seconds)) found)
    (while (and (not (setq found (funcall ask))) (< (float-time) deadline))
      (accept-process-output nil 0.1))
    found))

(defun pastwork-eldoc ()
  "What eldoc shows at point."
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (pastwork-until 1 (lambda () shown))
    (and shown (substring-no-properties shown))))

(defun pastwork-xref (pattern)
  "Names and files that `xref-find-apropos' would list for PATTERN."
  (mapcar (lambda (item)
            (list (substring-no-properties (xref-item-summary item))
                  (xref-location-group (xref-item-location item))))
          (xref-backend-apropos 'eglot pattern)))

(pcase-let* ((`(,answers ,file . ,command) command-line-args-left)
             (eglot-sync-connect 60)
             (eglot-connect-timeout 60)
             (eglot-autoshutdown nil))
  (setq command-line-args-left nil)
  (add-to-list 'eglot-server-programs (cons 'prog-mode command))
  (find-file file)
  (python-mode)
  (apply #'eglot (eglot--guess-contact))
  (let ((server (eglot-current-server)))
    (goto-char (point-min))
    (search-forward "raise PoolTimeout")
    (let ((line (pastwork-until 20 #'pastwork-eldoc)))
      (goto-char (point-min))
      (with-temp-file answers
        (insert
         (json-encode
          (with-current-buffer (get-file-buffer file)
            `((server . ,(plist-get (eglot--server-info server) :name))
              (on_line . ,line)
              (on_first_line . ,(pastwork-eldoc))
              (symbols . ,(vconcat (pastwork-xref "bookings")))
              (search . ,(eglot-execute-command server "pastwork.server.search" ["bookings four"]))
              (history . ,(eglot-execute-command
                           server "pastwork.server.history" (vector (eglot--path-to-uri file))))
              (status . ,(eglot-execute-command server "pastwork.server.status" []))))))))
    (eglot-shutdown server nil 10)))
;;; eglot.el ends here
